/**
 * What a node costs beside its instance, in USD per hour, where the snapshot does not say: a root
 * volume of 20 GiB gp3 ($0.08 per GiB and month, $0.0022 an hour), and about as much again for the
 * system pods, addresses and log streams that come with every node. Larger figures give fewer and
 * larger nodes; at 0 a hundred tiny nodes are as good as one that costs the same.
 */
export const DEFAULT_PER_NODE_USD = 0.01;
