import type { ClusterManifests } from '../../shared/api/cluster-manifests.ts';
import { typeSettingsOf } from '../../shared/aws/type-settings.ts';
import { type Ec2Type, REGION } from '../../shared/catalogue/ec2-types.ts';
import type { EC2NodeClass } from '../../shared/model/node-class.ts';
import type { NodePool } from '../../shared/model/node-pool.ts';
import {
  intersectRequirements,
  type RequirementSpec,
  requirementsOfLabels,
  toRequirements,
} from '../../shared/model/requirements.ts';
import { NO_RESOURCES, type Resources } from '../../shared/model/resources.ts';
import { type Answer, wholeAnswer } from '../answer.ts';
import { didYouMean } from '../did-you-mean.ts';
import { fail } from '../errors.ts';
import { type Demands, requirementsOfDemands } from '../instance-types/demands.ts';
import { documentOf } from '../instance-types/document.ts';
import { parseLabelExpressions } from '../instance-types/label-expressions.ts';
import { judgeType, type Sold, type Wishes } from '../instance-types/select-types.ts';
import { type SortKey, sortedBy } from '../instance-types/sort-types.ts';
import type { Invocation } from '../invocation.ts';
import type { Io } from '../io.ts';
import { instanceTypesText, whyText } from '../render/instance-types.ts';
import { decisionSettingsOf } from './decision-settings.ts';
import type { liveMarket } from './live-market.ts';
import { readClusterManifests } from './manifests.ts';
import { namedRegion } from './region.ts';
import { soldIn } from './sold-types.ts';

export interface InstanceTypesRequest {
  /** Of NodePools and EC2NodeClasses. */
  readonly paths: readonly string[];
  readonly recursive: boolean;
  readonly nodePool: string | undefined;
  readonly nodeClassFile: string | undefined;
  readonly podFile: string | undefined;
  readonly requirements: string | undefined;
  readonly demands: Demands;
  readonly region: string | undefined;
  readonly profile: string | undefined;
  readonly sort: SortKey;
  readonly maxResults: number | undefined;
  readonly showExcluded: boolean;
  /** The one type that is asked about. */
  readonly why: string | undefined;
}

/**
 * The types that a NodePool would get: those that EC2 sells now, where there are credentials to ask it
 * with, else those of the catalogue that comes with the product.
 */
export async function instanceTypes(
  request: InstanceTypesRequest,
  invocation: Invocation,
  askEc2: typeof liveMarket = asking,
): Promise<Answer> {
  const { why, sort, maxResults, showExcluded } = request;
  const asked = await gather(request, invocation, askEc2);
  const { sold } = asked;
  const types = why === undefined ? sold.types : [typeCalled(why, sold.types)];
  const verdicts = types.map((type) => judgeType(type, asked.wishes, sold));
  const result = documentOf(sortedBy(sort, verdicts), {
    region: sold.region,
    nodeClass: asked.wishes.nodeClass.name,
    ...(asked.pool && { nodePool: asked.pool.name }),
    onDemandPricesOf: sold.pricesOf,
    spotPrices: sold.spotPrices ?? 'model',
    maxResults,
  });
  const catalogue = sold.spotPrices ?? 'bundled';
  return wholeAnswer({
    kind: 'InstanceTypes',
    source: { ...(request.paths.length > 0 && { files: request.paths }), catalogue },
    warnings: asked.warnings,
    result,
    names: result.types.map(({ name }) => `instancetype/${name}`),
    text: (terminal, isWide) =>
      why === undefined
        ? instanceTypesText(result, { showExcluded, maxResults, isWide }, terminal)
        : whyText(result, terminal),
  });
}

/** The SDK is read when EC2 is asked, and not for the catalogue that comes along. */
const asking: typeof liveMarket = async (...args) =>
  (await import('./live-market.ts')).liveMarket(...args);

interface Asked {
  readonly wishes: Wishes;
  readonly sold: Sold;
  readonly pool: NodePool | undefined;
  readonly warnings: readonly string[];
}

async function gather(
  request: InstanceTypesRequest,
  { io, progress }: Invocation,
  askEc2: typeof liveMarket,
): Promise<Asked> {
  const { paths, recursive, nodeClassFile, podFile } = request;
  const types = typeSettingsOf(decisionSettingsOf(io.env));
  const read = (files: readonly string[]) => readClusterManifests(files, { recursive, io });
  const given = paths.length > 0 ? await read(paths) : NOTHING;
  const classes = nodeClassFile === undefined ? undefined : await read([nodeClassFile]);
  const pool = poolOf(given, request.nodePool);
  const pod = podFile === undefined ? undefined : podOf(await read([podFile]), podFile);

  const own = [
    ...parseLabelExpressions(request.requirements ?? ''),
    ...requirementsOfDemands(request.demands),
    ...(pod?.requirements ?? []),
  ];
  const requirements = intersectRequirements(
    pool ? toRequirements(pool.requirements) : new Map(),
    pool ? requirementsOfLabels(pool.labels) : new Map(),
    toRequirements(own),
  );
  const nodeClass = classOf(classes, given, pool, nodeClassFile);
  const region = request.region ?? regionOf(given, own, io);
  progress.report(`asking EC2 in ${region}`);
  const { sold, warnings } = await soldIn(
    { region, ...(request.profile !== undefined && { profile: request.profile }) },
    io,
    askEc2,
  );
  progress.end();
  return {
    wishes: { nodeClass, requirements, requests: pod?.requests ?? NO_RESOURCES, types },
    sold,
    pool,
    warnings: [...warnings, ...classWarnings(pool, nodeClass)],
  };
}

const NOTHING: ClusterManifests = {
  pools: [],
  nodeClasses: [],
  workloads: [],
  pods: [],
  podDisruptionBudgets: [],
  skipped: [],
};

function poolOf({ pools }: ClusterManifests, name: string | undefined): NodePool | undefined {
  const names = pools.map((pool) => pool.name);
  if (name === undefined) {
    if (pools.length < 2) return pools[0];
    throw fail({
      code: 'bad-value',
      what: `${pools.length} NodePools are in the files: ${names.join(', ')}`,
      where: '-f',
      why: 'one is looked at',
      fix: `--nodepool ${names[0]}`,
    });
  }
  const pool = pools.find((one) => one.name === name);
  if (pool) return pool;
  const similar = didYouMean(name, names);
  throw fail({
    code: 'not-found',
    what: `no NodePool ${name}`,
    where: '-f',
    ...(names.length === 0 && { why: 'the files hold none' }),
    ...(similar !== undefined && { fix: `did you mean ${similar}` }),
  });
}

/** That of the file, else the pool's, else AL2023 with nothing said. */
function classOf(
  own: ClusterManifests | undefined,
  given: ClusterManifests,
  pool: NodePool | undefined,
  file: string | undefined,
): EC2NodeClass {
  if (own) {
    const [first] = own.nodeClasses;
    if (first) return first;
    throw fail({
      code: 'not-found',
      what: 'no EC2NodeClass',
      where: `--nodeclass ${file}`,
      why: 'the file holds none',
    });
  }
  const named = given.nodeClasses.find(({ name }) => name === pool?.nodeClass.name);
  return named ?? given.nodeClasses[0] ?? ANY_CLASS;
}

const ANY_CLASS: EC2NodeClass = {
  name: 'AL2023',
  uid: 'none',
  amiFamily: 'AL2023',
  kubelet: {},
  hash: '',
};

interface AskingPod {
  readonly requests: Resources;
  readonly requirements: readonly RequirementSpec[];
}

function podOf({ pods, workloads }: ClusterManifests, file: string): AskingPod {
  const spec = pods[0]?.spec ?? workloads.map(({ template }) => template.spec)[0];
  if (!spec) {
    throw fail({
      code: 'not-found',
      what: 'no pod',
      where: `--pod ${file}`,
      why: 'the file holds neither a pod nor a workload',
    });
  }
  const selected = Object.entries(spec.nodeSelector).map(
    ([key, value]): RequirementSpec => ({ key, operator: 'In', values: [value] }),
  );
  // Of several terms any will do: which one is up to the plan.
  const [term, ...others] = spec.requiredNodeTerms;
  return {
    requests: spec.requests,
    requirements: [...selected, ...(others.length === 0 ? (term ?? []) : [])],
  };
}

function typeCalled(name: string, types: readonly Ec2Type[]): Ec2Type {
  const type = types.find((known) => known.name === name);
  if (type) return type;
  const similar = didYouMean(
    name,
    types.map((known) => known.name),
  );
  throw fail({
    code: 'not-found',
    what: `no instance type ${name}`,
    where: '--why',
    fix: similar === undefined ? 'mortise instance-types --all' : `did you mean ${similar}`,
  });
}

/** That of a place that is named; else that of the environment, as the AWS CLI has it. */
function regionOf(
  given: ClusterManifests,
  requirements: readonly RequirementSpec[],
  { env }: Io,
): string {
  const asPool = given.pools[0] && { ...given.pools[0], requirements };
  const named = namedRegion(asPool ? { ...given, pools: [...given.pools, asPool] } : given);
  return named ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? REGION;
}

const classWarnings = (pool: NodePool | undefined, nodeClass: EC2NodeClass): readonly string[] =>
  pool && nodeClass === ANY_CLASS
    ? [`EC2NodeClass ${pool.nodeClass.name} is not in the files: AL2023 with no settings stands in`]
    : [];
