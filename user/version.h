/* SPDX-License-Identifier: GPL-2.0 */
/* The version of the tool, told by --version and in every report. */
#ifndef MP_VERSION_H
#define MP_VERSION_H

#define MP_VERSION "0.1.0"

#endif
