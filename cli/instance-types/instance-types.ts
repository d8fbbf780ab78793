import type { Ec2Type } from '../../shared/ec2/catalogue/ec2-types.ts';
import { findBundledCatalogue, type RegionCatalogue } from '../../shared/ec2/catalogue/region-catalogue.ts';
import { formatQuantities } from '../../shared/kubernetes/writers/format-quantities.ts';
import { ARCH_LABEL } from '../../shared/model/labels.ts';
import { type Answer, wholeAnswer } from '../answer.ts';
import { noSuchName } from '../arguments/usage-errors.ts';
import type { LiveMarket, liveMarket } from '../catalogue/ask-region.ts';
import { listPriceWarnings, readCatalogueOf, refuseUnknownRegion } from '../catalogue/choose-region.ts';
import { toRegionCatalogue } from '../catalogue/read-catalogue.ts';
import { type AwsFlags, hasCredentials } from '../cluster/aws-flags.ts';
import type { InstanceTypes } from '../documents/instance-types.ts';
import type { Invocation } from '../invocation.ts';
import { instanceTypesText, whyText } from '../render/instance-types.ts';
import type { Io } from '../terminal/io.ts';
import { type Candidate, judgeType, type TypeEligibility } from './select-types.ts';
import { resolveTypesQuery, type TypesQuery } from './types-query.ts';

export interface InstanceTypesFlags extends TypesQuery {
  readonly profile?: string | undefined;
  /** A file of `mortise catalogue`, which replaces the request to EC2. */
  readonly catalogue?: string | undefined;
  readonly sort: 'price' | 'name' | 'cpu' | 'memory' | 'pods';
  readonly maxResults?: number | undefined;
  readonly excluded?: true | undefined;
  /** The type to explain, if a single one is requested. */
  readonly why?: string | undefined;
}

/**
 * Lists the instance types that a NodePool may launch: from EC2 if there are credentials, otherwise
 * from the bundled catalogue.
 */
export async function instanceTypes(
  flags: InstanceTypesFlags,
  { io, progress }: Invocation,
  askEc2: typeof liveMarket = askEc2Lazily,
): Promise<Answer> {
  const { why, profile, filename, maxResults, excluded: showExcluded = false } = flags;
  const file = await readCatalogueOf(flags, io);
  const query = await resolveTypesQuery({ ...flags, region: file?.region ?? flags.region }, io);
  const { requirements, pool, region, warnings } = query;
  if (!file) progress.report(`asking EC2 in ${region}`);
  const { sold, warnings: marketWarnings } = file
    ? { sold: file, warnings: listPriceWarnings(file) }
    : await findSoldTypes({ region, ...(profile !== undefined && { profile }) }, io, askEc2);
  progress.end();

  const types = why === undefined ? sold.types : [findType(why, sold.types)];
  const judged = types.map((type) => judgeType(type, requirements, sold));
  const result = {
    region: sold.region,
    nodeClass: requirements.nodeClass.name,
    ...(pool && { nodePool: pool.name }),
    ...(sold.prices && { onDemandPricesOf: sold.prices.asOf }),
    ...(sold.spotUsd && { spotPrices: sold.source === 'ec2' ? ('ec2' as const) : ('model' as const) }),
    ...summarize(judged, flags),
  };
  return wholeAnswer({
    kind: 'InstanceTypes',
    source: { ...(filename && { files: filename }), catalogue: sold.source },
    warnings: [...marketWarnings, ...warnings],
    result,
    names: result.types.map(({ name }) => `instancetype/${name}`),
    text: (terminal, isWide) =>
      why === undefined
        ? instanceTypesText(result, { showExcluded, maxResults, isWide }, terminal)
        : whyText(result, terminal),
  });
}

/** Loads the SDK only when EC2 is called. */
const askEc2Lazily: typeof liveMarket = async (...args) =>
  (await import('../catalogue/ask-region.ts')).liveMarket(...args);

function findType(name: string, types: readonly Ec2Type[]): Ec2Type {
  const type = types.find((one) => one.name === name);
  if (type) return type;
  const names = types.map((one) => one.name);
  throw noSuchName('instance type', name, '--why', names, 'mortise instance-types --all');
}

/**
 * Finds the types that a region offers: live if possible, otherwise those of the bundled catalogue in all zones
 * of the region, because the subnets of a class are unknown here.
 *
 * @throws CliError - `no-catalogue`: EC2 did not answer, and no data of the region is bundled
 */
export async function findSoldTypes(
  flags: AwsFlags & { readonly region: string },
  io: Io,
  askEc2: typeof liveMarket,
): Promise<{ readonly sold: RegionCatalogue; readonly warnings: readonly string[] }> {
  const { region } = flags;
  const isAsked = hasCredentials(io, flags);
  const { record, failures }: LiveMarket = isAsked ? await askEc2(flags, io.env) : { failures: [] };
  const why = isAsked ? 'EC2 did not answer' : 'EC2 was not asked';
  const sold = record ? toRegionCatalogue(record, region) : findBundledCatalogue(region);
  if (!sold) throw refuseUnknownRegion(region, `--region: ${why}`);
  const unknown = sold.prices ? 'spot prices are a model, and zones those' : 'zones are those';
  return {
    sold,
    warnings: [
      ...failures.map((failure) => `not told by AWS: ${failure}`),
      ...listPriceWarnings(sold),
      ...(record ? [] : [`${unknown} of one account: ${why}`]),
    ],
  };
}

/** Sorts and counts the evaluated types. The number of results limits the accepted ones only. */
function summarize(judged: readonly TypeEligibility[], { sort, maxResults }: InstanceTypesFlags) {
  const sorted = judged.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const kept = sorted.filter((one) => one.outcome === 'kept').toSorted((a, b) => weigh(a, sort) - weigh(b, sort));
  const excluded = sorted.filter((one) => one.outcome === 'excluded');
  const counts = Map.groupBy(excluded, ({ reason }) => reason.code);
  return {
    total: judged.length,
    matching: kept.length,
    types: kept.slice(0, maxResults).map(toDocument),
    excludedBy: Object.fromEntries([...counts].map(([code, { length }]) => [code, length])),
    excluded: excluded.map(({ name, reason }) => ({ name, reason })),
  };
}

const weigh = ({ cost, type }: Candidate, key: InstanceTypesFlags['sort']): number =>
  key === 'name' ? 0 : key === 'price' ? cost : (type.allocatable[key] ?? 0);

function toDocument({ type, offerings }: Candidate): InstanceTypes['types'][number] {
  const onDemand = offerings.find(({ capacityType }) => capacityType === 'on-demand');
  const spot = offerings.find(({ capacityType }) => capacityType === 'spot');
  return {
    name: type.name,
    arch: type.labels[ARCH_LABEL] ?? '',
    learned: type.isLearned ?? false,
    capacity: formatQuantities(type.capacity),
    allocatable: formatQuantities(type.allocatable),
    labels: { ...type.labels },
    ...(onDemand?.hourlyUsd !== undefined && { onDemandHourlyUsd: onDemand.hourlyUsd }),
    ...(spot?.hourlyUsd !== undefined && { spotFrom: { zone: spot.zone, hourlyUsd: spot.hourlyUsd } }),
    offerings: [...offerings],
  };
}
