import { glob, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

/**
 * Requests for a single item by its name, which has one page. All others must use the SDK's paginator:
 * a page may be empty although others follow.
 *
 * @see docs.aws.amazon.com/AWSEC2/latest/APIReference/Query-Requests.html, "Pagination"
 */
const BY_NAME = [
  'cli/checks/check-sources.ts DescribeStacks',
  'cli/cluster/find-stack.ts DescribeStacks',
  'cli/doctor/read-facts.ts DescribeStacks',
  'cli/try-launch/observe-launch.ts DescribeInstances',
  'shared/aws/node-class/discover-reservations.ts DescribeCapacityReservations',
  'shared/aws/node-class/launch-templates.ts DescribeLaunchTemplates',
];

const SDK_IMPORT = /import \{([^}]*)\} from '(@aws-sdk\/client-[\w-]+)'/g;

/** Lists requests of one page that the file sends although the SDK has a paginator for them. */
async function listSinglePages(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8');
  const singlePages: string[] = [];
  for (const [, names = '', client = ''] of text.matchAll(SDK_IMPORT)) {
    const sdk: unknown = await import(client);
    for (const [, name = ''] of names.matchAll(/\b((?:Describe|List|Get)\w+)Command\b/g)) {
      if (typeof sdk === 'object' && sdk && `paginate${name}` in sdk) singlePages.push(`${file} ${name}`);
    }
  }
  return singlePages;
}

describe('lists of AWS', () => {
  it('are read to their last page', async () => {
    const files: string[] = [];
    for await (const file of glob('{shared,functions,cli}/**/*.ts')) files.push(file);
    const singlePages = (await Promise.all(files.map(listSinglePages))).flat();

    expect(files.length).toBeGreaterThan(500);
    expect([...new Set(singlePages)].toSorted()).toEqual(BY_NAME);
  });
});
