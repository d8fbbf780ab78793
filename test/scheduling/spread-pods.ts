import { asking, need, poolOf, spreadOver, ZONE } from './fixture.ts';

export const zonal = { topologySpread: [spreadOver(ZONE)] };

/** One to a small node, so that nodes that are there have no room. */
export const big = { requests: asking(1.1) };

export const inZones = (...zones: string[]) => poolOf(need(ZONE, 'In', ...zones));
