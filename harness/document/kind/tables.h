/* SPDX-License-Identifier: Apache-2.0 */
/* The tables that make up ki_kinds. */
#ifndef KI_DOCUMENT_KIND_TABLES_H
#define KI_DOCUMENT_KIND_TABLES_H

#include "document/kind/kind.h"

extern const struct ki_kind ki_kind_benchmark_protocol;
extern const struct ki_kind ki_kind_benchmark_run;
extern const struct ki_kind ki_kind_execution_environment;
extern const struct ki_kind ki_kind_implementation_revision;
extern const struct ki_kind ki_kind_operation_spec;
extern const struct ki_kind ki_kind_software_project;
extern const struct ki_kind ki_kind_workload_case;
extern const struct ki_kind ki_kind_workload_suite;

#endif
