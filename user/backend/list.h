/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every backend, one line each; "auto" takes the first usable one that asks
 * for no file.
 * MP_BACKEND(x) means mp_backend_x.
 */
MP_BACKEND(kmod)
MP_BACKEND(user)
MP_BACKEND(sim)
MP_BACKEND(replay)
