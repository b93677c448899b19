/* SPDX-License-Identifier: Apache-2.0 */
/* What the tables of several kinds share. */
#ifndef KI_DOCUMENT_KIND_COMMON_H
#define KI_DOCUMENT_KIND_COMMON_H

#include "document/schema.h"

/* Text of at most so many UTF-16 units, of any form. */
extern const struct ki_schema ki_common_text_50;
extern const struct ki_schema ki_common_text_100;
extern const struct ki_schema ki_common_text_200;
extern const struct ki_schema ki_common_text_500;
extern const struct ki_schema ki_common_text_1000;
extern const struct ki_schema ki_common_text_2000;

extern const struct ki_schema ki_common_token;
extern const struct ki_schema ki_common_slug; /* of at most 100 */
extern const struct ki_schema ki_common_name; /* of at most 200 */
extern const struct ki_schema ki_common_digest;
extern const struct ki_schema ki_common_commit;
extern const struct ki_schema ki_common_url;

extern const struct ki_schema ki_common_boolean;
extern const struct ki_schema ki_common_number;
extern const struct ki_schema ki_common_number_from_zero;
extern const struct ki_schema ki_common_number_above_zero;
extern const struct ki_schema ki_common_ratio;
extern const struct ki_schema ki_common_integer;
extern const struct ki_schema ki_common_integer_from_zero;
extern const struct ki_schema ki_common_integer_above_zero;
extern const struct ki_schema ki_common_duration; /* nanoseconds, or a text with a unit */

extern const struct ki_schema ki_common_artifact; /* {uri, digest} */
extern const struct ki_schema ki_common_bindings; /* a value for each axis */
extern const struct ki_schema ki_common_numbers;  /* tokens to numbers */
extern const struct ki_schema ki_common_metadata;

#endif
