import type { ClusterManifests } from '../../shared/api/manifests/cluster-manifests.ts';
import { toTypeSettings } from '../../shared/aws/ec2/catalogue/type-settings.ts';
import { BUNDLED_REGION } from '../../shared/ec2/catalogue/ec2-types.ts';
import { findRegionOfZone } from '../../shared/ec2/regions.ts';
import type { EC2NodeClass } from '../../shared/model/nodes/node-class.ts';
import type { NodePool } from '../../shared/model/nodes/node-pool.ts';
import type { RequirementSpec } from '../../shared/model/requirements/requirement-specs.ts';
import {
  intersectRequirements,
  toLabelRequirements,
  toRequirements,
} from '../../shared/model/requirements/requirements.ts';
import { NO_RESOURCES, type Resources } from '../../shared/model/resources.ts';
import { regionParser } from '../arguments/regions.ts';
import { didYouMean } from '../arguments/usage-errors.ts';
import { fail } from '../errors.ts';
import { readClusterManifests } from '../manifests/cluster-manifests.ts';
import { findRequiredRegion, listNamedLocations } from '../manifests/manifest-region.ts';
import { readCliDecisionSettings } from '../settings/read-settings.ts';
import type { Io } from '../terminal/io.ts';
import { ANY_CLASS } from './any-class.ts';
import { type Demands, requirementsOfDemands } from './demands.ts';
import { parseLabelExpressions } from './label-expressions.ts';
import type { TypeRequirements } from './select-types.ts';

/** The arguments of the command. */
export interface TypesQuery {
  /** Files with NodePools and EC2NodeClasses. */
  readonly paths: readonly string[];
  readonly recursive: boolean;
  readonly nodePool: string | undefined;
  readonly nodeClassFile: string | undefined;
  readonly podFile: string | undefined;
  readonly requirements: string | undefined;
  readonly demands: Demands;
  readonly region: string | undefined;
}

/** The same with its files read. */
export interface ResolvedTypesQuery {
  readonly requirements: TypeRequirements;
  readonly pool: NodePool | undefined;
  readonly region: string;
  readonly warnings: readonly string[];
}

/**
 * @throws CliError - a file, a name in it or an expression is wrong
 */
export async function resolveTypesQuery(question: TypesQuery, io: Io): Promise<ResolvedTypesQuery> {
  const { paths, recursive, nodeClassFile, podFile } = question;
  const types = toTypeSettings(readCliDecisionSettings(io.env));
  const read = (files: readonly string[]) => readClusterManifests(files, { recursive, io });
  const given = paths.length > 0 ? await read(paths) : NOTHING;
  const classes = nodeClassFile === undefined ? undefined : await read([nodeClassFile]);
  const pool = findPool(given, question.nodePool);
  const pod = podFile === undefined ? undefined : findPod(await read([podFile]), podFile);

  const own = [
    ...parseLabelExpressions(question.requirements ?? ''),
    ...requirementsOfDemands(question.demands),
    ...(pod?.requirements ?? []),
  ];
  const requirements = intersectRequirements(
    pool ? toRequirements(pool.requirements) : new Map(),
    pool ? toLabelRequirements(pool.labels) : new Map(),
    toRequirements(own),
  );
  const nodeClass = findNodeClass(classes, given, pool, nodeClassFile);
  return {
    requirements: { nodeClass, requirements, requests: pod?.requests ?? NO_RESOURCES, types },
    pool,
    region: chooseRegion(question, findRegion(given, own, io)),
    warnings: classWarnings(pool, nodeClass),
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

function findPool({ pools }: ClusterManifests, name: string | undefined): NodePool | undefined {
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

/** The class of the file, else the pool's, else a default AL2023 class. */
function findNodeClass(
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

interface PodDemand {
  readonly requests: Resources;
  readonly requirements: readonly RequirementSpec[];
}

function findPod({ pods, workloads }: ClusterManifests, file: string): PodDemand {
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
  // The planner may choose any of several terms, so only the first is checked.
  const [term, ...others] = spec.requiredNodeTerms;
  return {
    requests: spec.requests,
    requirements: [...selected, ...(others.length === 0 ? (term ?? []) : [])],
  };
}

/** @throws CliError - `bad-value` if a zone is of another region */
function chooseRegion({ region, demands }: TypesQuery, derived: string): string {
  const chosen = region ?? derived;
  const zones = demands.zone?.split(',') ?? [];
  const other = zones.find((zone) => findRegionOfZone(zone) !== chosen);
  if (other === undefined) return chosen;
  throw fail({
    code: 'bad-value',
    what: `zone ${other} is not in ${chosen}`,
    where: '--zone',
    why: 'one region is looked at',
    fix: `--region ${findRegionOfZone(other)}`,
  });
}

/** The region of a zone that is named; else that of the environment, as in the AWS CLI. */
function findRegion(given: ClusterManifests, requirements: readonly RequirementSpec[], { env }: Io): string {
  const named = listNamedLocations(given)[0]?.region ?? findRequiredRegion(requirements);
  if (named !== undefined) return named;
  const [name, region] =
    Object.entries({ AWS_REGION: env.AWS_REGION, AWS_DEFAULT_REGION: env.AWS_DEFAULT_REGION }).find(
      ([, value]) => value,
    ) ?? [];
  return name === undefined || region === undefined ? BUNDLED_REGION : regionParser(name)(region);
}

const classWarnings = (pool: NodePool | undefined, nodeClass: EC2NodeClass): readonly string[] =>
  pool && nodeClass === ANY_CLASS
    ? [`EC2NodeClass ${pool.nodeClass.name} is not in the files: AL2023 with no settings stands in`]
    : [];
