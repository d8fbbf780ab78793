import { asking, need, poolOf, spreadOver, ZONE } from './fixture.ts';

export const zonal = { topologySpread: [spreadOver(ZONE)] };

/** One pod per small node, so that existing nodes have no room. */
export const big = { requests: asking(1.1) };

export const inZones = (...zones: string[]) => poolOf(need(ZONE, 'In', ...zones));
