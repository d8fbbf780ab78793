/**
 * The `pk` of rows that several clusters share. The stack grants other clusters' functions access
 * to this partition only. This file imports nothing because the stack imports it.
 */
export const SHARED_PARTITION_KEY = 'Shared#learned';
