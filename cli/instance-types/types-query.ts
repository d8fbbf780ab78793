import type { ClusterManifests } from '../../shared/api/manifests/cluster-manifests.ts';
import type { ValidationProblem } from '../../shared/api/validate/manifest-validation.ts';
import { validateManifests } from '../../shared/api/validate/validate-manifests.ts';
import { toTypeSettings } from '../../shared/aws/ec2/catalogue/type-settings.ts';
import { BUNDLED_REGION } from '../../shared/ec2/catalogue/ec2-types.ts';
import { findRegionOfZone } from '../../shared/ec2/regions.ts';
import { normaliseLabelKey, WELL_KNOWN_LABELS } from '../../shared/model/labels.ts';
import { findNearestLabel } from '../../shared/model/nearest-label.ts';
import type { EC2NodeClass } from '../../shared/model/nodes/node-class.ts';
import type { NodePool } from '../../shared/model/nodes/node-pool.ts';
import { formatRequirementSpec, type RequirementSpec } from '../../shared/model/requirements/requirement-specs.ts';
import {
  intersectRequirements,
  toLabelRequirements,
  toRequirements,
} from '../../shared/model/requirements/requirements.ts';
import { NO_RESOURCES, type Resources } from '../../shared/model/resources.ts';
import { DEFAULT_SETTINGS } from '../../shared/model/settings.ts';
import { regionParser } from '../arguments/regions.ts';
import { noSuchName } from '../arguments/usage-errors.ts';
import { ANY_CLASS } from '../catalogue/bundled-types.ts';
import { BUNDLED_VALUES } from '../catalogue/known-values.ts';
import { CliError, fail, type Problem } from '../errors.ts';
import { readClusterManifests } from '../manifests/cluster-manifests.ts';
import { findRequiredRegion, listNamedLocations, toEqualities } from '../manifests/manifest-region.ts';
import { readCliDecisionSettings } from '../settings/read-settings.ts';
import type { Io } from '../terminal/io.ts';
import type { TypeRequirements } from './select-types.ts';

type FlagOf<T> = T | undefined;
type RequirementsFlag = FlagOf<readonly RequirementSpec[]>;

/** The flags that choose types. */
export interface TypesQuery {
  /** Files with NodePools and EC2NodeClasses. */
  readonly filename?: FlagOf<readonly string[]>;
  readonly recursive?: FlagOf<true>;
  readonly nodepool?: FlagOf<string>;
  /** A file. */
  readonly nodeclass?: FlagOf<string>;
  /** A file. */
  readonly pod?: FlagOf<string>;
  readonly requirements?: RequirementsFlag;
  readonly vcpus?: RequirementsFlag;
  readonly memory?: RequirementsFlag;
  readonly gpus?: RequirementsFlag;
  readonly arch?: RequirementsFlag;
  readonly capacityType?: RequirementsFlag;
  readonly zone?: RequirementsFlag;
  readonly region?: FlagOf<string>;
}

/** The same with its files read. */
export interface ResolvedTypesQuery {
  readonly requirements: TypeRequirements;
  readonly pool: NodePool | undefined;
  readonly region: string;
  readonly warnings: readonly string[];
}

/**
 * @throws CliError - a file, a name in it or a requirement is wrong
 */
export async function resolveTypesQuery(query: TypesQuery, io: Io): Promise<ResolvedTypesQuery> {
  const { filename = [], recursive = false, nodeclass, pod: podFile } = query;
  const read = (files: readonly string[]) => readClusterManifests(files, { recursive, io });
  const manifests = await read(filename);
  const pool = findPool(manifests, query.nodepool);
  const pod = podFile === undefined ? undefined : findPod(await read([podFile]), podFile);
  const nodeClass =
    nodeclass === undefined ? findNodeClass(manifests, pool) : readNodeClass(await read([nodeclass]), nodeclass);

  const { requirements = [], zone = [] } = query;
  const { vcpus, memory, gpus, arch, capacityType } = query;
  const demanded = [requirements, zone, vcpus, memory, gpus, arch, capacityType, pod?.requirements].flatMap(
    (specs) => specs ?? [],
  );
  return {
    requirements: {
      nodeClass,
      requirements: intersectRequirements(
        toRequirements(pool?.requirements ?? []),
        toLabelRequirements(pool?.labels ?? {}),
        toRequirements(demanded),
      ),
      requests: pod?.requests ?? NO_RESOURCES,
      settings: toTypeSettings(readCliDecisionSettings(io.env)),
    },
    pool,
    region: chooseRegion(
      zone.flatMap(({ values = [] }) => values),
      query.region ?? findRegion(manifests, demanded, io),
    ),
    warnings: [
      ...validateRequirements(requirements),
      ...(pool && nodeClass === ANY_CLASS
        ? [`EC2NodeClass ${pool.nodeClass.name} is not in the files: AL2023 with no settings stands in`]
        : []),
    ],
  };
}

/** The rules of requirements depend on neither the version of Kubernetes nor the feature gates. */
const VALIDATION = { kubernetesMinor: 36, gates: DEFAULT_SETTINGS.gates, labelValues: BUNDLED_VALUES };
const NO_PROBLEMS = { problems: [] };

/**
 * Validates requirements by the rules for those of a NodePool.
 *
 * @returns warnings of values that EC2 is not known to have
 * @throws CliError - `bad-value`, for each requirement that no instance type can meet
 */
function validateRequirements(specs: readonly RequirementSpec[]): readonly string[] {
  const findings = specs.flatMap(listFindings);
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new CliError(errors);
  return findings.map(({ why, fix }) => `--requirements: ${why}; ${fix}`);
}

interface RequirementFinding extends Problem, Pick<ValidationProblem, 'severity'> {}

function listFindings(spec: RequirementSpec): readonly RequirementFinding[] {
  const what = `requirement "${spec.key} ${formatRequirementSpec(spec)}"`;
  const problem = { code: 'bad-value', where: '--requirements' };
  if (!WELL_KNOWN_LABELS.has(normaliseLabelKey(spec.key))) {
    const why = 'no instance type has this label: those of a NodePool of its own choose no types';
    const fix = `write ${findNearestLabel(spec.key) ?? 'a well-known label, such as kubernetes.io/arch'}`;
    return [{ ...problem, severity: 'error', what: `${what} chooses nothing`, why, fix }];
  }
  const [{ problems } = NO_PROBLEMS] = validateManifests([toSource(spec)], VALIDATION);
  return problems.map(({ severity, why, fix }) => ({ ...problem, severity, what: `${what} is wrong`, why, fix }));
}

/** A NodePool with this requirement alone. */
const toSource = (requirement: RequirementSpec) => ({
  file: '--requirements',
  text: JSON.stringify({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'flags' },
    spec: {
      template: {
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
          requirements: [requirement],
        },
      },
    },
  }),
});

function findPool({ pools }: ClusterManifests, name: string | undefined): NodePool | undefined {
  const names = pools.map((pool) => pool.name);
  if (name === undefined && pools.length > 1) {
    throw fail({
      code: 'bad-value',
      what: `${pools.length} NodePools are in the files: ${names.join(', ')}`,
      where: '-f',
      why: 'one is looked at',
      fix: `--nodepool ${names[0]}`,
    });
  }
  const pool = name === undefined ? pools[0] : pools.find((one) => one.name === name);
  if (pool || name === undefined) return pool;
  throw noSuchName('NodePool', name, '--nodepool', names, names.length === 0 ? '-f PATH: files that hold it' : '');
}

/** The pool's class, else any class of the files, else a default AL2023 class. */
const findNodeClass = ({ nodeClasses }: ClusterManifests, pool: NodePool | undefined): EC2NodeClass =>
  nodeClasses.find(({ name }) => name === pool?.nodeClass.name) ?? nodeClasses[0] ?? ANY_CLASS;

function readNodeClass({ nodeClasses: [nodeClass] }: ClusterManifests, file: string): EC2NodeClass {
  if (nodeClass) return nodeClass;
  throw fail({ code: 'not-found', what: 'no EC2NodeClass', where: `--nodeclass ${file}`, why: 'the file holds none' });
}

interface PodDemand {
  readonly requests: Resources;
  readonly requirements: readonly RequirementSpec[];
}

function findPod({ pods, workloads }: ClusterManifests, file: string): PodDemand {
  const spec = [...pods, ...workloads.map(({ template }) => template)][0]?.spec;
  if (!spec) {
    const why = 'the file holds neither a pod nor a workload';
    throw fail({ code: 'not-found', what: 'no pod', where: `--pod ${file}`, why });
  }
  // The planner may choose any of several terms, so only a single one is a requirement.
  const [term = [], ...otherTerms] = spec.requiredNodeTerms;
  const requirements = [...toEqualities(spec.nodeSelector), ...(otherTerms.length === 0 ? term : [])];
  return { requests: spec.requests, requirements };
}

/** @throws CliError - `bad-value` if a zone is of another region */
function chooseRegion(zones: readonly string[], region: string): string {
  const other = zones.find((zone) => findRegionOfZone(zone) !== region);
  if (other === undefined) return region;
  throw fail({
    code: 'bad-value',
    what: `zone ${other} is not in ${region}`,
    where: '--zone',
    why: 'one region is looked at',
    fix: `--region ${findRegionOfZone(other)}`,
  });
}

/** The region of a zone that is named; else that of the environment, as in the AWS CLI. */
function findRegion(manifests: ClusterManifests, requirements: readonly RequirementSpec[], { env }: Io): string {
  const named = listNamedLocations(manifests)[0]?.region ?? findRequiredRegion(requirements);
  if (named !== undefined) return named;
  const variable = ['AWS_REGION', 'AWS_DEFAULT_REGION'].find((name) => env[name]);
  return variable === undefined ? BUNDLED_REGION : regionParser(variable)(env[variable] ?? '');
}
