/**
 * Where rows stand that clusters share, by their `pk`: the stack lets functions reach these in a table
 * of others, and no more. Imports nothing, for the stack reads it as well.
 */
export const SHARED_PARTITION_KEY = 'Shared#learned';
