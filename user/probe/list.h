/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every probe, one line each, in order of dependence: a probe stands after
 * those whose facts it starts from. MP_PROBE(x) means mp_probe_x.
 */
MP_PROBE(line_l1d)
MP_PROBE(cache_size)
MP_PROBE(line)
MP_PROBE(inclusion)
MP_PROBE(latency)
MP_PROBE(dram)
MP_PROBE(ways)
MP_PROBE(shared)
MP_PROBE(policy)
MP_PROBE(tlb)
MP_PROBE(prefetch)
MP_PROBE(clock)
