/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Kernel Index asks of a record only when it is published, beyond the schemas: observed of its
 * publishBundle (apps/web/src/server/catalog/publication.ts, commit e6c5a71) on PostgreSQL.
 */
#ifndef KI_RECORD_PUBLICATION_H
#define KI_RECORD_PUBLICATION_H

#include "document/issue.h"
#include "record/record.h"

/*
 * All parts but the project must be there; a run that passed needs a primary value, which is not
 * negative; counts fit 31 bits; no text holds U+0000; no instant lies in the year 0.
 */
void ki_publication_check(struct ki_issues *issues, const struct ki_record *record);

#endif
