/** Numbers of the scenario catalogue of disruption that no test bears, and why. */
export const SCENARIO_GAPS: Readonly<Record<number, string>> = {
  2: 'Nothing loops: disruption is looked at once a minute, and when something has changed.',
  5: 'DisruptionReason is shown from the record, which has it only once the claim is going.',
  10: 'Nothing loops: the age of the last look is an alarm of the queue.',
  58: 'A spent budget is told of each node that it keeps, not of the NodePool.',
  59: 'As 58: without nodes there is nobody to tell it of.',
  77: 'Nothing is remembered between two looks, so nothing can be remembered wrongly.',
  78: 'As 77: every look is a full one.',
  119: 'The search ends by its own size, at some twenty questions, and not by the clock.',
  120: 'As 119.',
  121: 'As 119: each look asks every candidate.',
  135: 'A look has one plan; rejections are verdicts on nodes and are not counted.',
  173: 'A taint that is refused is tried again a second later; nothing is removed before all are set.',
  178: 'Decisions are counted by kind and reason; what each NodePool loses is counted by claims.',
  180: 'Claims are counted by reason, NodePool and capacity type, which is enough to find the policy.',
};
