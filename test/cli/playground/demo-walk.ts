import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { playDemo } from '../../../cli/demo/script.ts';
import { createPace } from '../../../cli/playground/pace.ts';
import { createPlaygroundSource, exportSnapshot } from '../../../cli/playground/playground-source.ts';
import { createSimulatedCluster } from '../../../cli/playground/simulated-cluster.ts';
import type { ConsoleSource } from '../../../console/source.ts';
import { readManifests } from '../../../shared/api/manifests/read-manifests.ts';
import { createExplainer } from '../../../shared/explain/explain.ts';
import type { Explanation } from '../../../shared/explain/explanation.ts';
import { formatReason } from '../../../shared/model/explanations/reasons.ts';
import type { DecisionSettings } from '../../../shared/model/settings.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { readSnapshotFile } from '../../../shared/record/snapshot-file.ts';
import type { SimWorld } from '../../../shared/simulation/world.ts';

/** A node at a minute of the demo: what the page shows, and what `explain` says about the export of that moment. */
export interface NodeMoment {
  readonly minute: number;
  readonly node: string;
  readonly page: Pick<NodeMoment, 'outcome' | 'reasons'> & { readonly verdict: string };
  readonly outcome: Explanation['outcome'] | undefined;
  readonly reasons: readonly string[];
  /** When explain looks at the node again; undefined if that depends on a change. */
  readonly nextAt?: number;
}

/** The moments of a walk, and when each node began to leave. */
export interface Walk {
  readonly startedAt: number;
  readonly moments: readonly NodeMoment[];
  readonly leftAt: ReadonlyMap<string, number>;
  readonly settings: readonly (DecisionSettings | undefined)[];
}

const STEP_MS = 5 * SECOND_MS;
/** Nodes that are said to go leave by then. */
const MINUTES_AFTER = 3;

const FILES = ['nodes.yaml', 'web.yaml', 'batch.yaml', 'lab.yaml'];

/** Plays the demo, and asks the page and the export about each node at these minutes. */
export async function walkDemo(seed: number, minutes: readonly number[], settings?: DecisionSettings): Promise<Walk> {
  const files = FILES.map((file) => ({
    file,
    text: readFileSync(new URL(`../../../cli/demo/${file}`, import.meta.url), 'utf8'),
  }));
  const reading = readManifests(files);
  if (reading.outcome === 'refused') throw new Error(JSON.stringify(reading.problems));
  const world = createSimulatedCluster(reading.manifests, seed, settings);
  const demo = playDemo(world);
  const source = createPlaygroundSource({
    ...{ world, seed, demo, pace: createPace('max'), cluster: 'playground', region: 'us-east-1' },
    reset: () => {},
  });
  const startedAt = world.clock.now();
  const leftAt = new Map<string, number>();
  const moments: NodeMoment[] = [];
  const exported: (DecisionSettings | undefined)[] = [];
  let present: readonly string[] = [];
  const observe = async (): Promise<void> => {
    const claims = (await world.ports.nodeClaims.list()).records.map(({ claim }) => claim);
    const staying = claims.filter(({ deletingAt }) => deletingAt === undefined).map(({ name }) => name);
    for (const name of present) if (!staying.includes(name)) leftAt.set(name, world.clock.now());
    present = staying;
  };
  const last = Math.max(...minutes) + MINUTES_AFTER;
  for (let minute = 1; minute <= last; minute++) {
    const begins = startedAt + (minute - 1) * MINUTE_MS;
    for (let passed = STEP_MS; passed <= MINUTE_MS; passed += STEP_MS) {
      await world.clock.runUntil(begins + passed);
      await observe();
    }
    if (!minutes.includes(minute)) continue;
    const answers = await askAbout(world, source, minute);
    moments.push(...answers.moments);
    exported.push(answers.settings);
  }
  return { startedAt, moments, leftAt, settings: exported };
}

async function askAbout(world: SimWorld, source: ConsoleSource, minute: number) {
  const { bytes } = await exportSnapshot(world, 'playground');
  const { decisions } = readSnapshotFile(JSON.parse(gunzipSync(bytes).toString('utf8')));
  const explainer = createExplainer(decisions);
  const moments: NodeMoment[] = [];
  for (const name of explainer?.listNames('nodeclaim') ?? []) {
    const answer = explainer?.explain({ kind: 'nodeclaim', name });
    const page = await source.explain({ kind: 'node', name });
    if (!page) continue;
    moments.push({
      ...{ minute, node: name },
      page: { verdict: page.verdict, outcome: page.outcome, reasons: page.reasons.map(({ text }) => text) },
      outcome: answer?.outcome,
      reasons: answer?.reasons.map(({ reason }) => formatReason(reason)) ?? [],
      ...(answer?.next.at !== undefined && { nextAt: answer.next.at }),
    });
  }
  return { moments, settings: decisions.at(-1)?.input.snapshot.settings };
}
