/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of Liger-Kernel's CSV for the tests of import/. */
#ifndef KI_TESTS_IMPORT_ROWS_H
#define KI_TESTS_IMPORT_ROWS_H

#define ROWS_HEADER                                                                                \
	"kernel_name,kernel_provider,kernel_operation_mode,metric_name,metric_unit,x_name,"        \
	"x_label,x_value,y_value_50,y_value_20,y_value_80,extra_benchmark_config_str,gpu_name,"    \
	"timestamp,liger_version\n"

#define ROWS_CONFIG(groups, dtype)                                                                 \
	"\"{\"\"B\"\": 2, \"\"C_in\"\": 4, \"\"C_out\"\": 4, \"\"K\"\": 3, "                       \
	"\"\"groups\"\": " groups ", \"\"bias\"\": true, \"\"dtype\"\": \"\"torch." dtype          \
	"\"\"}\""

/* The row of the seed's record (Liger-Kernel, commit 2120862, line 717). */
#define ROWS_SEED                                                                                  \
	"multi_token_attention,torch,forward,speed,ms,L,sequence length,1024,0.719871997833252,"   \
	"0.7167999744415283,0.7260159850120544," ROWS_CONFIG(                                      \
		"1", "bfloat16") ",NVIDIA GeForce RTX 3090,2025-04-28 04:46:11,0.1.1\n"

#endif
