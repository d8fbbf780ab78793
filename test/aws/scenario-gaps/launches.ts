import type { ScenarioGaps } from '../scenario-coverage.ts';

export const launches: ScenarioGaps = {
  L1: 'The planner chooses the reservation, and a claim names exactly one: there is no group to choose at the launch.',
  L3: 'The planner chooses the reservation, and a claim names exactly one: there is no group to choose at the launch.',
  L4: 'The planner chooses the reservation, and a claim names exactly one: there is no group to choose at the launch.',
  L5: 'The planner chooses the reservation, and a claim names exactly one: there is no group to choose at the launch.',
  L6: 'Types are chosen by the plan, by price: metal and accelerators cost more, and no filter at the launch is needed.',
  L9: 'minValues are kept by the plan, which lists the types of a claim (test/scheduling).',
  L10: 'Overlays change what the planner sees; the launch takes the types of the claim as they are.',
  L27: 'Capacity and allocatable come from the type; EFA is shown wherever the type has it.',
  L28: 'The template has the tenancy of the claim (test/node-class/template-groups.test.ts); the label is the requirement of the claim.',
  L30: 'Shown in parts by "tells type, zone, capacity type, price and labels of what EC2 chose" and the tests of drift.',
  L31: 'Each pool is planned by its own class; a class without subnets is not ready and has no types.',
  L34: 'There is no cache of instances: each list is read from EC2 (npm run e2e:aws lists a thousand).',
  B2: 'Requests are put together by the plan: unequal claims have launch records of their own (test/controllers/launch.test.ts).',
  B4: 'A failed request is one refusal for all claims of its launch record (test/controllers/launch-refusal.test.ts).',
};
