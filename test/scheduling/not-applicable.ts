/** How many scenarios each group of the catalogue numbers; some numbers were never given. */
export const GROUPS: Readonly<
  Record<string, { readonly count: number; readonly free: readonly number[] }>
> = {
  TR: { count: 20, free: [] },
  R: { count: 37, free: [26] },
  P: { count: 29, free: [] },
  F: { count: 16, free: [] },
  TS: { count: 51, free: [15] },
  A: { count: 26, free: [25] },
  X: { count: 6, free: [5] },
  I: { count: 22, free: [] },
  D: { count: 7, free: [] },
  DS: { count: 23, free: [] },
  L: { count: 10, free: [] },
  V: { count: 18, free: [] },
  N: { count: 11, free: [8] },
  M: { count: 11, free: [] },
  RV: { count: 13, free: [] },
  B: { count: 11, free: [] },
  DR: { count: 10, free: [] },
  MT: { count: 5, free: [] },
};

const ZONE_GAUGE =
  'Pods are not counted by the zone that they could go to: a plan names the zone of each node, and each pod that waits has its reasons.';

/** Scenarios that no test shows, and why there is nothing to show. */
export const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  TR13: 'No store of a watch has to fill up: each decision reads its snapshot whole, and one that could not be read forbids it.',
  TR15: 'No metric tells when a healthy pool was scheduled to: the event of each launch has its instant.',
  TR20: 'Events are written once the plan is committed, each at most once in its quiet time: no rate holds them back, and none holds back the plan.',
  P26: 'Offerings have no resources of their own: extended resources come by NodeOverlay, of a type as a whole (B10).',
  P27: 'EC2 types have no hugepages before the node sets them aside: no capacity names them.',
  I21: 'The record of a claim tells the instance type before the node does: the node is a bin from the start.',
  F14: 'Who waits for a reservation is looked at anew in the next plan, with every preference (RV07).',
  MT01: ZONE_GAUGE,
  MT02: ZONE_GAUGE,
  MT03: 'A plan is made in one go: there is no queue to look at while it shrinks.',
  MT04: 'Pods that wait for a reservation carry their reason, and no event, in the plan itself (RV06).',
  MT05: 'From the first pod that waits to the ready node is one figure, in the event and the metric of each launch.',
};
