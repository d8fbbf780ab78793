import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { PriceRecord } from '../../shared/aws/ec2/prices/price-record.ts';
import { formatInstant } from '../../shared/model/time.ts';
import { type Answer, wholeAnswer } from '../answer.ts';
import { callAws } from '../cluster/aws-problems.ts';
import type { CatalogueReport } from '../documents/catalogue-report.ts';
import { fail } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { countText } from '../render/numbers.ts';
import { writeOutFile } from '../terminal/write-out-file.ts';
import type { askRegion, CatalogueRequest } from './ask-region.ts';
import { listPriceWarnings } from './choose-region.ts';
import { toRegionCatalogue } from './read-catalogue.ts';

/**
 * Asks EC2 and the price list about a region, and writes the answers to a file that other commands take, in the
 * format of the record that a stack has in its bucket.
 *
 * @throws CliError - those of `callAws`; `aws-unreachable`: EC2 did not return the zones; `file-unreadable`
 */
export async function writeCatalogue(
  request: CatalogueRequest,
  { io, progress }: Invocation,
  ask: typeof askRegion = askLazily,
): Promise<Answer> {
  const { region, out = `${region}.json`, force } = request;
  progress.report(`asking EC2 in ${region}`);
  const { record, failures, errors = [], zoneIds } = await ask(request, io.env);
  progress.end();
  if (!record) throw await toAwsError(region, errors, failures);
  const complete = { ...record, region, zoneIds };
  const json = `${JSON.stringify(complete, undefined, 1)}\n`;
  const bytes = out.endsWith('.gz') ? gzipSync(json) : Buffer.from(json);
  await writeOutFile(resolve(io.cwd, out), bytes, { shown: out, force });
  const report = summarize(complete, out, bytes.byteLength);
  return wholeAnswer({
    kind: 'CatalogueReport',
    source: { region },
    complete: failures.length === 0,
    warnings: [
      ...failures.map((failure) => `not told by AWS: ${failure}`),
      ...listPriceWarnings(toRegionCatalogue(complete, region)),
    ],
    result: report,
    names: [`catalogue/${out}`],
    text: () => toText(report),
  });
}

/** Loads the SDK only when AWS is called. */
const askLazily: typeof askRegion = async (request, env) =>
  await (await import('./ask-region.ts')).askRegion(request, env);

/** The first error that the user can resolve, such as missing credentials. */
async function toAwsError(region: string, errors: readonly unknown[], failures: readonly string[]): Promise<unknown> {
  const [first] = errors;
  if (first instanceof Error) {
    try {
      await callAws(region, () => Promise.reject(first));
    } catch (error) {
      if (error !== first) return error;
    }
  }
  return fail({
    code: 'aws-unreachable',
    what: `EC2 did not return the zones of ${region}`,
    where: region,
    why: failures.join('; ') || 'the region has no instance types for this account',
    fix: 'check --region and --profile; an opt-in region must be enabled for the account',
  });
}

function summarize(
  { at, region = '', zones, zoneIds = {}, newer, onDemandUsd, spotUsd }: PriceRecord,
  file: string,
  bytes: number,
): CatalogueReport {
  const names = [...new Set(Object.values(zones).flat())].toSorted();
  return {
    ...{ file, bytes, region, at: formatInstant(at) },
    zones: names.map((name) => {
      const id = zoneIds[name];
      return { name, ...(id !== undefined && { id }) };
    }),
    types: Object.keys(zones).length,
    newerTypes: newer.length,
    onDemandPrices: Object.keys(onDemandUsd).length,
    spotPrices: Object.values(spotUsd).reduce((sum, usd) => sum + Object.keys(usd).length, 0),
  };
}

function toText({ file, bytes, zones, types, onDemandPrices, spotPrices }: CatalogueReport): string {
  const counts = [
    `${countText(types)} types in ${zones.map(({ name }) => name).join(', ')}`,
    onDemandPrices === 0 ? 'no on-demand price' : `${countText(onDemandPrices)} on-demand prices`,
    `${countText(spotPrices)} spot prices`,
  ];
  return `${file}  ${countText(Math.ceil(bytes / 1_000))} kB\n${counts.join('; ')}\n`;
}
