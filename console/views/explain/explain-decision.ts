import { formatUnselected, rankRefusals } from '../../../shared/model/explanations/refusals.ts';
import type {
  DisruptionCommand,
  DisruptionPlan,
  Placement,
  PlannedClaim,
  ProvisioningPlan,
  Unplaced,
} from '../../../shared/model/plans.ts';
import type { Decision } from '../../../shared/ports/decision-log.ts';
import type { Evidence, Explanation, ReasonRow, Sentence } from '../../explanation.ts';
import { formatDuration, formatNodeUsd, formatPercent, formatTime, plural } from '../../format.ts';
import type { ObjectRef } from '../../views.ts';
import { decisionView, listCommands } from '../decision-view.ts';
import { type ConsoleFacts, reasonSentence } from '../facts.ts';
import { nodeViewNames } from '../pods.ts';
import { groupStays } from './group-stays.ts';
import { plain } from './pod-question.ts';

/** More names in a sentence are counted. */
const MAX_NAMED = 3;

/** Explains what a recorded decision changed, and why it changed nothing else. */
export function explainDecision(facts: ConsoleFacts, decision: Decision): Explanation {
  const view = decisionView(decision);
  const { id, at, tookMs } = decision;
  return {
    subject: { kind: 'decision', name: id },
    question: 'What was decided here?',
    facts: [
      decision.kind === 'provisioning' ? 'for pending pods' : 'about removals',
      formatTime(at),
      ...(tookMs === undefined || tookMs === 0 ? [] : [`took ${formatDuration(tookMs)}`]),
    ],
    verdict: plain(`${view.text.charAt(0).toUpperCase()}${view.text.slice(1)}.`),
    tone: 'calm',
    evidence:
      decision.kind === 'provisioning'
        ? explainProvisioning(decision.plan, nodeViewNames(facts.snapshot))
        : explainDisruption(decision.plan),
    decision: view,
  };
}

type Names = ReadonlyMap<string, string>;

const explainProvisioning = (
  { claims, placements, unplaced, hourlyUsd, bound }: ProvisioningPlan,
  names: Names,
): Evidence[] => [
  ...reasons('Launched', claims.map(launchRow)),
  ...reasons(
    'Pods that fit on nodes that exist',
    placements.map((placement) => placementRow(placement, names)),
  ),
  ...reasons('Pods that stay pending', unplaced.map(unplacedRow)),
  ...(bound
    ? [
        {
          kind: 'text' as const,
          title: 'Price',
          sentences: [
            plain(
              `The new nodes cost ${formatNodeUsd(hourlyUsd)}/h. No nodes for these pods can cost less than ${formatNodeUsd(bound.leastHourlyUsd)}/h.`,
            ),
          ],
        },
      ]
    : []),
];

const explainDisruption = (plan: DisruptionPlan): Evidence[] => [
  ...text('Removed or replaced', listCommands(plan).map(commandSentence)),
  ...reasons(
    'Replacements',
    listCommands(plan)
      .flatMap(({ replacements }) => replacements)
      .map(launchRow),
  ),
  ...text('Why the others stay', groupStays(plan.verdicts.filter(({ outcome }) => outcome === 'stays'))),
  ...(plan.surplus && plan.surplus.length > 0
    ? text('Surplus', [nodesSentence('New pods are to prefer other nodes than', plan.surplus)])
    : []),
];

const reasons = (title: string, rows: readonly ReasonRow[]): Evidence[] =>
  rows.length === 0 ? [] : [{ kind: 'reasons', title, rows }];

const text = (title: string, sentences: readonly Sentence[]): Evidence[] =>
  sentences.length === 0 ? [] : [{ kind: 'text', title, sentences }];

function launchRow({ claim, pods, cheapest, nextBest }: PlannedClaim): ReasonRow {
  const { instanceType, capacityType, zone, hourlyUsd } = cheapest;
  const more = nextBest
    ? `; next best ${nextBest.instanceType} ${nextBest.capacityType}, +${formatPercent(nextBest.hourlyUsd / hourlyUsd - 1)}`
    : '';
  return {
    subject: claim.name,
    object: { kind: 'node', name: claim.name },
    texts: [
      `${instanceType} ${capacityType} in ${zone}, ${formatNodeUsd(hourlyUsd)}/h${more}`,
      ...(pods.length > 0 ? [`for ${namePods(pods)}`] : []),
    ],
  };
}

/** Plans name running nodes as Kubernetes does, the page names them by their NodeClaims. */
function placementRow({ target, pods }: Placement, names: Names): ReasonRow {
  const name = names.get(target) ?? target;
  return { subject: name, object: { kind: 'node', name }, texts: [namePods(pods)] };
}

function unplacedRow({ pods, pools }: Unplaced): ReasonRow {
  const [first = ''] = pods;
  const { near, unselected } = rankRefusals(pools);
  const more = formatUnselected(unselected);
  return {
    subject: namePods(pods),
    object: { kind: 'pod', name: first },
    texts: [
      ...near.map(
        ({ pool, reasons: [reason] }) => `NodePool ${pool}: ${reason ? reasonSentence(reason) : 'cannot hold it'}`,
      ),
      ...(more === undefined ? [] : [more]),
    ],
  };
}

function commandSentence(command: DisruptionCommand): Sentence {
  const { candidates, reason, replacements, savingHourlyUsd, price } = command;
  const verb = replacements.length > 0 ? `${reason}, replaced:` : `${reason}, removed:`;
  const { text: named, objects } = nodesSentence(verb, candidates);
  const saves = savingHourlyUsd > 0 ? ` Saves ${formatNodeUsd(savingHourlyUsd)}/h` : '';
  const pays =
    saves !== '' && price
      ? ` for ${plural(price.evictions, 'eviction')}, pays back in ${formatDuration(price.paybackMs)}`
      : '';
  return { text: `${named}${saves}${saves === '' ? '' : `${pays}.`}`, objects };
}

function nodesSentence(start: string, names: readonly string[]): Sentence {
  const objects = names.map((name): ObjectRef => ({ kind: 'node', name }));
  return { text: `${start} ${listNames(names)}.`, objects };
}

const namePods = (pods: readonly string[]): string =>
  pods.length === 1 ? `${pods[0]}` : `${plural(pods.length, 'pod')} (${listNames(pods)})`;

function listNames(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  const named = names.slice(0, MAX_NAMED).join(', ');
  return more > 0 ? `${named} and ${more} more` : named;
}
