import type { Ec2Type } from '../../shared/ec2/catalogue/ec2-types.ts';
import { findBundledCatalogue, type RegionCatalogue } from '../../shared/ec2/catalogue/region-catalogue.ts';
import { formatQuantities } from '../../shared/kubernetes/writers/format-quantities.ts';
import { ARCH_LABEL } from '../../shared/model/labels.ts';
import { type Answer, wholeAnswer } from '../answer.ts';
import { didYouMean } from '../arguments/usage-errors.ts';
import { listPriceWarnings, readCatalogueOf, refuseUnknownRegion } from '../catalogue/choose-region.ts';
import { toRegionCatalogue } from '../catalogue/read-catalogue.ts';
import { type AwsFlags, hasCredentials } from '../cluster/aws-flags.ts';
import type { InstanceTypes } from '../documents/instance-types.ts';
import { fail } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { instanceTypesText, whyText } from '../render/instance-types.ts';
import type { Io } from '../terminal/io.ts';
import type { liveMarket } from './live-market.ts';
import { type Candidate, judgeType, type ListedOffering, type TypeEligibility } from './select-types.ts';
import { type SortKey, sortedBy } from './sort-types.ts';
import { resolveTypesQuery, type TypesQuery } from './types-query.ts';

export interface InstanceTypesRequest extends TypesQuery {
  readonly profile: string | undefined;
  /** A file of `mortise catalogue`, which replaces the request to EC2. */
  readonly catalogue: string | undefined;
  readonly sort: SortKey;
  readonly maxResults: number | undefined;
  readonly showExcluded: boolean;
  /** The type to explain, if a single one is requested. */
  readonly why: string | undefined;
}

/**
 * Lists the instance types that a NodePool may launch: from EC2 if there are credentials, otherwise
 * from the bundled catalogue.
 */
export async function instanceTypes(
  request: InstanceTypesRequest,
  { io, progress }: Invocation,
  askEc2: typeof liveMarket = askEc2Lazily,
): Promise<Answer> {
  const { why, sort, maxResults, showExcluded, profile } = request;
  const file = await readCatalogueOf(request, io);
  const { requirements, pool, region, warnings } = await resolveTypesQuery(
    { ...request, region: file?.region ?? request.region },
    io,
  );
  if (!file) progress.report(`asking EC2 in ${region}`);
  const target = { region, ...(profile !== undefined && { profile }) };
  const { sold, warnings: marketWarnings } = file
    ? { sold: file, warnings: listPriceWarnings(file) }
    : await findSoldTypes(target, io, askEc2);
  progress.end();

  const types = why === undefined ? sold.types : [findType(why, sold.types)];
  const verdicts = types.map((type) => judgeType(type, requirements, sold));
  const result = documentOf(sortedBy(sort, verdicts), {
    region: sold.region,
    nodeClass: requirements.nodeClass.name,
    ...(pool && { nodePool: pool.name }),
    ...(sold.prices && { onDemandPricesOf: sold.prices.asOf }),
    ...(sold.spotUsd && { spotPrices: sold.source === 'ec2' ? 'ec2' : 'model' }),
    maxResults,
  });
  return wholeAnswer({
    kind: 'InstanceTypes',
    source: {
      ...(request.paths.length > 0 && { files: request.paths }),
      catalogue: sold.source,
    },
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
const askEc2Lazily: typeof liveMarket = async (...args) => (await import('./live-market.ts')).liveMarket(...args);

function findType(name: string, types: readonly Ec2Type[]): Ec2Type {
  const type = types.find((typeNames) => typeNames.name === name);
  if (type) return type;
  const similar = didYouMean(
    name,
    types.map((typeNames) => typeNames.name),
  );
  throw fail({
    code: 'not-found',
    what: `no instance type ${name}`,
    where: '--why',
    fix: similar === undefined ? 'mortise instance-types --all' : `did you mean ${similar}`,
  });
}

interface SoldTypes {
  readonly sold: RegionCatalogue;
  readonly warnings: readonly string[];
}

/**
 * Finds the types that a region offers: live if possible, otherwise bundled.
 *
 * @throws CliError - `no-catalogue`: EC2 did not answer, and no data of the region is bundled
 */
export async function findSoldTypes(
  flags: AwsFlags & { readonly region: string },
  io: Io,
  askEc2: typeof liveMarket,
): Promise<SoldTypes> {
  const { region } = flags;
  if (!hasCredentials(io, flags)) return findBundledTypes(region, 'was not asked');
  const { record, failures } = await askEc2(flags, io.env);
  const failureWarnings = failures.map((failure) => `not told by AWS: ${failure}`);
  if (record) {
    const sold = toRegionCatalogue(record, region);
    return { sold, warnings: [...failureWarnings, ...listPriceWarnings(sold)] };
  }
  const { sold, warnings } = findBundledTypes(region, 'did not answer');
  return { sold, warnings: [...failureWarnings, ...warnings] };
}

/** Uses the bundled catalogue in all zones of the region: the subnets of a class are unknown here. */
function findBundledTypes(region: string, why: string): SoldTypes {
  const sold = findBundledCatalogue(region);
  if (!sold) throw refuseUnknownRegion(region, `--region: EC2 ${why}`);
  return {
    sold,
    warnings: [
      ...listPriceWarnings(sold),
      sold.prices
        ? `spot prices are a model, and zones those of one account: EC2 ${why}`
        : `zones are those of one account: EC2 ${why}`,
    ],
  };
}

type Header = Pick<InstanceTypes, 'region' | 'nodeClass' | 'nodePool' | 'onDemandPricesOf' | 'spotPrices'> & {
  /** Limits the listed types, not the excluded ones. */
  readonly maxResults: number | undefined;
};

/** Builds the document from the evaluated types in the requested order. */
function documentOf(verdicts: readonly TypeEligibility[], { maxResults, ...header }: Header): InstanceTypes {
  const kept = verdicts.filter((verdict) => verdict.outcome === 'kept');
  const excluded = verdicts.filter((verdict) => verdict.outcome === 'excluded');
  const counts = Map.groupBy(excluded, ({ reason }) => reason.code);
  return {
    ...header,
    total: verdicts.length,
    matching: kept.length,
    types: kept.slice(0, maxResults).map(typeOf),
    excludedBy: Object.fromEntries([...counts].map(([code, { length }]) => [code, length])),
    excluded: excluded.map(({ name, reason }) => ({
      name,
      reason: { ...reason, fields: { ...reason.fields } },
    })),
  };
}

function typeOf({ type, offerings }: Candidate): InstanceTypes['types'][number] {
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
    ...(spot?.hourlyUsd !== undefined && {
      spotFrom: { zone: spot.zone, hourlyUsd: spot.hourlyUsd },
    }),
    offerings: offerings.map(offeringOf),
  };
}

const offeringOf = ({ zone, capacityType, hourlyUsd }: ListedOffering) => ({
  zone,
  capacityType,
  ...(hourlyUsd !== undefined && { hourlyUsd }),
});
