import type { ClusterManifests } from '../../shared/api/cluster-manifests.ts';
import { EC2_TYPES, findEc2Type, REGION } from '../../shared/catalogue/ec2-types.ts';
import { PRICES_OF } from '../../shared/catalogue/on-demand-prices.ts';
import { standInFor } from '../../shared/catalogue/stand-in.ts';
import { bundledCatalogue } from '../../shared/catalogue/us-east-1.ts';
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
import { instanceTypesText, whyText } from '../render/instance-types.ts';
import { readClusterManifests } from './manifests.ts';
import { BUNDLED_ZONES, placeOf } from './region.ts';

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
  readonly sort: SortKey;
  readonly maxResults: number | undefined;
  readonly showExcluded: boolean;
  /** The one type that is asked about. */
  readonly why: string | undefined;
}

/** The types that a NodePool would get, by the catalogue that comes with the product. */
export async function instanceTypes(
  request: InstanceTypesRequest,
  invocation: Invocation,
): Promise<Answer> {
  const { why, sort, maxResults, showExcluded } = request;
  const asked = await gather(request, invocation);
  const types = why === undefined ? EC2_TYPES : [typeCalled(why)];
  const verdicts = types.map((type) => judgeType(type, asked.wishes, asked.sold));
  const result = documentOf(sortedBy(sort, verdicts), {
    region: asked.sold.region,
    nodeClass: asked.wishes.nodeClass.name,
    ...(asked.pool && { nodePool: asked.pool.name }),
    onDemandPricesOf: PRICES_OF,
    maxResults,
  });
  return wholeAnswer({
    kind: 'InstanceTypes',
    source: { ...(request.paths.length > 0 && { files: request.paths }), catalogue: 'bundled' },
    warnings: asked.warnings,
    result,
    names: result.types.map(({ name }) => `instancetype/${name}`),
    text: (terminal) =>
      why === undefined
        ? instanceTypesText(result, { showExcluded, maxResults }, terminal)
        : whyText(result, terminal),
  });
}

interface Asked {
  readonly wishes: Wishes;
  readonly sold: Sold;
  readonly pool: NodePool | undefined;
  readonly warnings: readonly string[];
}

async function gather(request: InstanceTypesRequest, { io }: Invocation): Promise<Asked> {
  const { paths, recursive, nodeClassFile, podFile, region: wantedRegion } = request;
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
  const sold = soldIn(wantedRegion, given, own);
  return {
    wishes: { nodeClass, requirements, requests: pod?.requests ?? NO_RESOURCES },
    sold,
    pool,
    warnings: warningsOf(sold.region, pool, nodeClass),
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

function typeCalled(name: string) {
  const type = findEc2Type(name);
  if (type) return type;
  const similar = didYouMean(
    name,
    EC2_TYPES.map((known) => known.name),
  );
  throw fail({
    code: 'not-found',
    what: `no instance type ${name}`,
    where: '--why',
    ...(similar !== undefined && { fix: `did you mean ${similar}` }),
  });
}

/** All zones of the region: where the subnets of a class are is not known here. */
function soldIn(
  wanted: string | undefined,
  given: ClusterManifests,
  requirements: readonly RequirementSpec[],
): Sold {
  const asPool = given.pools[0] && { ...given.pools[0], requirements };
  const named = placeOf(asPool ? { ...given, pools: [...given.pools, asPool] } : given);
  const region = wanted ?? named.region;
  const bundled = bundledCatalogue(() => ANY_CLASS, BUNDLED_ZONES);
  if (region === REGION) return bundled;
  const zones = BUNDLED_ZONES.map((zone) => `${region}${zone.slice(REGION.length)}`);
  return standInFor(bundled, region, zones);
}

function warningsOf(
  region: string,
  pool: NodePool | undefined,
  nodeClass: EC2NodeClass,
): readonly string[] {
  return [
    ...(region === REGION
      ? []
      : [`instance types and prices are those of ${REGION}: they stand in for ${region}`]),
    'spot prices are a model, and zones those of one account: EC2 was not asked',
    ...(pool && nodeClass === ANY_CLASS
      ? [
          `EC2NodeClass ${pool.nodeClass.name} is not in the files: AL2023 with no settings stands in`,
        ]
      : []),
  ];
}
