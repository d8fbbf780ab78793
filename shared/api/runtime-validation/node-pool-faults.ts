import { findNextOccurrence, findUnknownZone, parseCron } from '../../model/cron.ts';
import { parseGoDuration } from '../../model/duration.ts';
import { HOURS_ANNOTATION, MIN_DRAIN_ANNOTATION, PER_NODE_COST_ANNOTATION } from '../../model/labels.ts';
import { ownValue } from '../../model/own-value.ts';
import { HOUR_MS } from '../../model/time.ts';
import { isQualified, type Metadata } from '../admission/metadata.ts';
import type { NodePoolSpec } from '../custom-resources/node-pool.ts';
import { type FieldPath, quote, quoteUnlessName } from '../finding.ts';
import { KUBELET_ANNOTATION } from '../keys/annotations.ts';
import { proposeTimeZone, readHours } from '../stored-objects/pool-hours.ts';
import { readRequirement } from '../stored-objects/requirement.ts';
import { createFault, type Fault, type RuntimeSettings } from './fault.ts';
import { listShareFaults, listStaticShareFaults } from './on-demand-share-faults.ts';
import {
  listClosedLabelFaults,
  listKeyFaults,
  listRequirementFaults,
  listStrangeValueWarnings,
} from './requirement-faults.ts';
import { listUnknownValueWarnings } from './unknown-values.ts';

type Template = NodePoolSpec['template'];
type Taint = NonNullable<Template['spec']['taints']>[number];

/** A pool with such a fault is stored but not Ready. */
export const listPoolFaults = (
  metadata: Metadata,
  { template, replicas }: Pick<NodePoolSpec, 'template' | 'replicas'>,
): readonly Fault[] => [
  ...listTemplateFaults(template),
  ...listNodeCostFaults(metadata),
  ...listMinDrainFaults(metadata),
  ...listHoursFaults(metadata, replicas),
  ...listShareFaults(metadata.annotations ?? {}, 'vCPUs', ['metadata', 'annotations']),
  ...listStaticShareFaults(metadata.annotations ?? {}, replicas),
];

/** NP-R1 to NP-R6. */
const listTemplateFaults = ({ metadata, spec }: Template): readonly Fault[] => [
  ...Object.keys(metadata?.labels ?? {}).flatMap((key) =>
    listKeyFaults('NP-R1', key, ['spec', 'template', 'metadata', 'labels', key]),
  ),
  ...taintFaults(spec),
  ...spec.requirements.flatMap((requirement, index) => [
    ...listRequirementFaults('NP-R4', requirement, requirementPath(index)),
    ...listClosedLabelFaults(requirement, requirementPath(index)),
  ]),
];

/** An amount in USD, as the setting `PER_NODE_HOURLY_USD` takes it. */
const AMOUNT = /^\d+(?:\.\d+)?$/;

/** Reads the cost of a node besides its instance; undefined if none, or no amount, is written. */
export const readNodeCost = (written: string | undefined): number | undefined =>
  written !== undefined && AMOUNT.test(written) ? Number(written) : undefined;

function listNodeCostFaults({ annotations }: Metadata): readonly Fault[] {
  const written = ownValue(annotations, PER_NODE_COST_ANNOTATION);
  if (written === undefined || readNodeCost(written) !== undefined) return [];
  return [
    createFault(
      PER_NODE_COST_ANNOTATION,
      ['metadata', 'annotations', PER_NODE_COST_ANNOTATION],
      `${quote(written)} is not an amount of 0 or more`,
      'write USD per hour, like "0.03"',
    ),
  ];
}

/** The longest deregistration delay of a target group. */
const MAX_MIN_DRAIN_MS = HOUR_MS;

/** Reads how long a drain takes at least; undefined if nothing, or no such duration, is written. */
export function readMinDrain(written: string | undefined): number | undefined {
  const ms = written === undefined ? undefined : parseGoDuration(written);
  return ms !== undefined && ms >= 0 && ms <= MAX_MIN_DRAIN_MS ? ms : undefined;
}

function listMinDrainFaults({ annotations }: Metadata): readonly Fault[] {
  const written = ownValue(annotations, MIN_DRAIN_ANNOTATION);
  if (written === undefined || readMinDrain(written) !== undefined) return [];
  return [
    createFault(
      MIN_DRAIN_ANNOTATION,
      ['metadata', 'annotations', MIN_DRAIN_ANNOTATION],
      `${quote(written)} is not a duration of at most an hour`,
      'write a duration like "5m"',
    ),
  ];
}

function listHoursFaults({ annotations }: Metadata, replicas: NodePoolSpec['replicas']): readonly Fault[] {
  const { hours, mistake } = readHours(annotations);
  if (mistake) {
    const { annotation, why, fix } = mistake;
    return [createFault(annotation, ['metadata', 'annotations', annotation], why, fix)];
  }
  if (!hours || replicas === undefined) return [];
  return [
    createFault(
      HOURS_ANNOTATION,
      ['metadata', 'annotations', HOURS_ANNOTATION],
      'a pool of a fixed size has no hours',
      'remove the annotation, or replicas',
    ),
  ];
}

const requirementPath = (index: number): FieldPath => ['spec', 'template', 'spec', 'requirements', index];

interface PlacedTaint {
  readonly taint: Taint;
  readonly path: FieldPath;
}

function taintFaults({ taints = [], startupTaints = [] }: Template['spec']): readonly Fault[] {
  const placed = (list: readonly Taint[], field: string): readonly PlacedTaint[] =>
    list.map((taint, index) => ({ taint, path: ['spec', 'template', 'spec', field, index] }));
  const all = [...placed(taints, 'taints'), ...placed(startupTaints, 'startupTaints')];
  return all.flatMap((one, index) => [...textFaults(one), ...repetition(one, all.slice(0, index))]);
}

const textFaults = ({ taint: { key, value }, path }: PlacedTaint): readonly Fault[] =>
  Object.entries({ key, ...(value !== undefined && { value }) })
    .filter(([, text]) => !isQualified(text))
    .map(([field, text]) =>
      createFault('NP-R2', [...path, field], `${quote(text)} is not for a taint`, 'write a name like example.com/team'),
    );

const repetition = ({ taint: { key, effect }, path }: PlacedTaint, before: readonly PlacedTaint[]): readonly Fault[] =>
  before.some(({ taint }) => taint.key === key && taint.effect === effect)
    ? [createFault('NP-R3', path, `taint ${quoteUnlessName(key)}:${effect} is there twice`, 'keep one of them')]
    : [];

/** Karpenter 1.1 and later, and Mortise, read kubelet settings from the EC2NodeClass alone. */
export const listKubeletAnnotationWarnings = ({ annotations }: Metadata): readonly Fault[] =>
  ownValue(annotations, KUBELET_ANNOTATION) === undefined
    ? []
    : [
        createFault(
          'kubelet-annotation',
          ['metadata', 'annotations', KUBELET_ANNOTATION],
          'the kubelet settings in it are not in force: Karpenter read them from here in 1.0 only',
          'run `mortise convert`, which moves them to spec.kubelet of the EC2NodeClass',
        ),
      ];

/** Lists settings that work differently from what they suggest. */
export const listNodePoolWarnings = (
  spec: NodePoolSpec,
  { labelValues }: Pick<RuntimeSettings, 'labelValues'>,
): readonly Fault[] => [
  ...(isNothing(spec.template.spec.expireAfter)
    ? [
        createFault(
          'expireAfter',
          ['spec', 'template', 'spec', 'expireAfter'],
          'nodes expire the moment they are there',
          'write Never to keep them',
        ),
      ]
    : []),
  ...Object.entries(spec.limits ?? {})
    .filter(([, limit]) => `${limit}`.startsWith('-'))
    .map(([name]) =>
      createFault('limits', ['spec', 'limits', name], 'a negative limit lets nothing launch', 'raise it'),
    ),
  ...spec.template.spec.requirements.flatMap((requirement, index) => [
    ...listStrangeValueWarnings(requirement, requirementPath(index)),
    ...listUnknownValueWarnings(readRequirement(requirement), requirementPath(index), labelValues),
  ]),
  ...listBudgetWarnings(spec.disruption.budgets),
];

const isNothing = (duration: string): boolean => /^(?:0+[smh])+$/.test(duration);

type Budgets = NodePoolSpec['disruption']['budgets'];

/** Warns of budgets that apply at other times or for other reasons than they suggest. */
const listBudgetWarnings = (budgets: Budgets): readonly Fault[] =>
  budgets.flatMap(({ reasons, schedule }, index) => {
    const path = ['spec', 'disruption', 'budgets', index];
    return [
      ...(reasons?.length === 0 ? [noReason([...path, 'reasons'])] : []),
      ...(schedule === undefined ? [] : scheduleWarnings(schedule, [...path, 'schedule'])),
    ];
  });

const noReason = (path: FieldPath): Fault =>
  createFault(
    'budgets',
    path,
    'a budget for no reason limits nothing',
    'name reasons, or take the list out for all of them',
  );

function scheduleWarnings(schedule: string, path: FieldPath): readonly Fault[] {
  const warn = (why: string, fix: string) => [createFault('budgets', path, why, fix)];
  const zone = findUnknownZone(schedule);
  if (zone !== undefined) {
    return warn(`no time zone is called ${quote(zone)}: nothing may be disrupted`, proposeTimeZone(zone));
  }
  const cron = parseCron(schedule);
  if (!cron) {
    return warn(
      `${quote(schedule)} is no schedule that can be computed: nothing may be disrupted`,
      'write five cron fields in range, for example "0 9 * * mon-fri"',
    );
  }
  // The start of the search does not matter: any five years contain every day of the year.
  if (findNextOccurrence(cron, 0) !== undefined) return [];
  return warn(`${quote(schedule)} never comes: the budget holds at all times`, 'write a day that the calendar has');
}
