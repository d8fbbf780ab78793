import type { Ec2Type } from '../../shared/ec2/catalogue/ec2-types.ts';
import { type Answer, wholeAnswer } from '../answer.ts';
import { didYouMean } from '../arguments/usage-errors.ts';
import { listPriceWarnings, readCatalogueOf } from '../catalogue/choose-region.ts';
import { fail } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { instanceTypesText, whyText } from '../render/instance-types.ts';
import { documentOf } from './document.ts';
import type { liveMarket } from './live-market.ts';
import { judgeType } from './select-types.ts';
import { findSoldTypes } from './sold-types.ts';
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
