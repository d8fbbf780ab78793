import { formatUnselected, rankRefusals } from '../../../shared/model/explanations/refusals.ts';
import type { Funnel, NodeRefusal, PoolRefusal, Unplaced } from '../../../shared/model/plans.ts';
import type { Evidence, FunnelRow, Sentence } from '../../explanation.ts';
import { plural } from '../../format.ts';
import { reasonSentence } from '../facts.ts';
import type { Answer } from './pod-question.ts';
import { plain } from './pod-question.ts';

/** Explains why no NodePool can run the pod, starting with the closest pool. */
export const explainUnplaced = ({ pods, pools, nodes }: Unplaced): Pick<Answer, 'verdict' | 'evidence'> => ({
  verdict: verdictOf(pools),
  evidence: [
    ...funnelEvidence(rankRefusals(pools).near[0]),
    poolEvidence(pools),
    ...nodeEvidence(nodes),
    whatNext(pods.length),
  ],
});

function verdictOf(pools: readonly PoolRefusal[]): Sentence {
  const { near } = rankRefusals(pools);
  const [nearest] = near;
  const reason = nearest?.reasons[0];
  if (!nearest || !reason) return plain('There is no NodePool that could hold it.');
  if (near.length === 1) {
    return plain(`NodePool ${nearest.pool} cannot hold it: ${reasonSentence(reason)}.`);
  }
  return plain(
    `None of ${near.length} NodePools can hold it. ${nearest.pool} comes closest: ${reasonSentence(reason)}.`,
  );
}

const funnelEvidence = (nearest: PoolRefusal | undefined): Evidence[] =>
  nearest?.funnel
    ? [
        {
          kind: 'funnel',
          title: 'Where the offerings went',
          rows: funnelRows(nearest.pool, nearest.funnel),
        },
      ]
    : [];

const funnelRows = (pool: string, funnel: Funnel): FunnelRow[] => [
  { label: 'All offerings', count: funnel.all },
  { label: `Allowed by NodePool ${pool}`, count: funnel.allowedByPool },
  { label: 'Allowed by the pod', count: funnel.allowedByPod },
  { label: 'Large enough', count: funnel.fitting },
  { label: 'Not run dry', count: funnel.available },
  { label: 'Within the limits of the pool', count: funnel.withinLimits },
];

function poolEvidence(pools: readonly PoolRefusal[]): Evidence {
  const { near, unselected } = rankRefusals(pools);
  const more = formatUnselected(unselected);
  return {
    kind: 'reasons',
    title: 'By NodePool',
    rows: near.map(({ pool, reasons }) => ({
      subject: pool,
      object: { kind: 'nodepool', name: pool },
      texts: reasons.map(reasonSentence),
    })),
    ...(more !== undefined && { more }),
  };
}

const nodeEvidence = (nodes: readonly NodeRefusal[]): Evidence[] =>
  nodes.length === 0
    ? []
    : [
        {
          kind: 'reasons',
          title: 'Running nodes, nearest first',
          rows: nodes.map(({ node, reason }) => ({
            subject: node,
            object: { kind: 'node', name: node },
            texts: [reasonSentence(reason)],
          })),
        },
      ];

const whatNext = (pods: number): Evidence => ({
  kind: 'text',
  title: 'What happens next',
  sentences: [
    plain(
      `It is looked at again as soon as pods, nodes or NodePools change, and each minute.${
        pods > 1 ? ` The same answer holds for ${plural(pods, 'equal pod')}.` : ''
      }`,
    ),
  ],
});
