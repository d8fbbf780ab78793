import { describe, expect, it } from 'vitest';
import {
  nodeClaimExplanationSchema,
  nodeExplanationSchema,
  nodePoolExplanationSchema,
  podExplanationSchema,
} from '../../../cli/documents/explanation.ts';
import { listUnplacedPods } from '../../../cli/playground/unplaced-pods.ts';
import { createModelSource } from '../../../console/model-source.ts';
import type { ObjectRef } from '../../../console/views.ts';
import type { Subject } from '../../../shared/explain/explanation.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { Decision } from '../../../shared/ports/decision-log.ts';
import { aLiveFeed } from '../../console/support/live-feed.ts';
import { NODE_CASES } from '../../explain/node-cases.ts';
import { POD_CASES } from '../../explain/pod-cases.ts';
import { aPod, aSnapshot } from '../../support/builders.ts';
import { documentOf, mortise } from '../call.ts';
import { decideBoth, writeDecided } from './decided-file.ts';

/** The parts of an answer that must not depend on the program that gives it. */
interface CommonAnswer {
  readonly outcome: string | undefined;
  readonly verdict: string;
  readonly reasons: readonly string[];
  readonly fixes: readonly (readonly [text: string, patch: string | undefined])[];
  readonly next: string | undefined;
}

/** Asks the console, whose source has made these decisions about the cluster. */
async function askConsole(
  snapshot: ClusterSnapshot,
  { kind, name }: Subject,
  decisions: readonly Decision[],
): Promise<CommonAnswer | undefined> {
  const source = createModelSource(aLiveFeed(() => snapshot, decisions));
  const object: ObjectRef = { kind: kind === 'nodeclaim' ? 'node' : kind, name };
  const answer = await source.explain(object);
  return (
    answer && {
      ...{ outcome: answer.outcome, verdict: answer.verdict, next: answer.next?.text },
      reasons: answer.reasons.map(({ text }) => text),
      fixes: answer.fixes.map(({ text, patch }) => [text, patch]),
    }
  );
}

const schemaOf = {
  pod: podExplanationSchema,
  node: nodeExplanationSchema,
  nodeclaim: nodeClaimExplanationSchema,
  nodepool: nodePoolExplanationSchema,
} as const;

async function askCommand(snapshot: ClusterSnapshot, { kind, name }: Subject): Promise<CommonAnswer> {
  const files = { 'shop.json': await writeDecided(snapshot) };
  const outcome = await mortise(['explain', kind, name, '--from', 'shop.json', '-o', 'json'], { files });
  const answer = schemaOf[kind].parse(documentOf(outcome).result);
  const reasons = 'pools' in answer ? answer.pools.flatMap((pool) => pool.reasons) : answer.reasons;
  return {
    ...{ outcome: answer.outcome, verdict: answer.verdict, next: answer.next.text },
    reasons: reasons.map(({ text }) => text),
    fixes: [...(answer.fix ? [answer.fix] : []), ...answer.otherFixes].map(({ text, patch }) => [text, patch]),
  };
}

const CASES = [...POD_CASES, ...NODE_CASES];

describe('one explanation', () => {
  it.each(CASES)('is told by the console and by mortise explain: $title', async ({ snapshot, subject }) => {
    const answer = await askCommand(snapshot, subject);

    expect(await askConsole(snapshot, subject, decideBoth(snapshot))).toEqual(answer);
  });

  it.each(CASES)('does not need a decision that the console remembers: $title', async ({ snapshot, subject }) => {
    expect(await askConsole(snapshot, subject, [])).toEqual(await askCommand(snapshot, subject));
  });

  it.each(POD_CASES.filter(({ outcome }) => outcome === 'pending' || outcome === 'held'))(
    'is told by mortise simulate about a pod that waits: $title',
    async ({ snapshot, subject }) => {
      const { reasons, fixes } = await askCommand(snapshot, subject);
      const unplaced = listUnplacedPods({ snapshot, decisions: decideBoth(snapshot) });
      const simulated = unplaced.find(({ pod }) => pod === subject.name);

      expect(simulated?.reasons.map(({ text }) => text)).toEqual(reasons);
      expect(
        [...(simulated?.fix ? [simulated.fix] : []), ...(simulated?.otherFixes ?? [])].map(({ text }) => text),
      ).toEqual(fixes.map(([text]) => text));
    },
  );

  it.each([
    [
      'a scheduling gate',
      { spec: { ...aPod().spec, schedulingGates: ['team/quota'] } },
      'scheduling gates (team/quota)',
    ],
    ['room that is being made on a node', { nominatedNodeName: 'ip-1' }, 'make room for it on ip-1'],
  ])('says everywhere that a pod is held by %s', async (_, over, why) => {
    const snapshot = aSnapshot({ pods: [aPod(over)] });
    const subject = { kind: 'pod', name: 'default/web-1' } as const;
    const answer = await askCommand(snapshot, subject);

    expect(answer.verdict).toContain(why);
    expect(await askConsole(snapshot, subject, decideBoth(snapshot))).toEqual(answer);
    expect(listUnplacedPods({ snapshot, decisions: [] })[0]?.reasons.map(({ text }) => text)).toEqual(answer.reasons);
  });
});
