/**
 * What a node costs beside its instance, in USD per hour: a root volume of 20 GiB gp3 at $0.08 per
 * GiB and month. It keeps plans from many tiny nodes where one larger node costs the same.
 */
export const NODE_OVERHEAD_USD = (20 * 0.08) / 730;
