import type { RequestCounts } from './lab/aws/lambda-node.ts';
import type { Lab } from './lab/start-lab.ts';
import { percentile } from './scenario.ts';

/** The requests and resources that AWS would bill for a time span. */
export interface Usage {
  readonly invocations: number;
  readonly gbSeconds: number;
  readonly sqsRequests: number;
  readonly dynamodbRequests: number;
  readonly kubernetesRequests: number;
}

/** Starts to count. @returns a function that returns the usage since then */
export function startUsage(lab: Lab): () => Promise<Usage> {
  const since = Date.now();
  const before = lab.lambdaNode.requests();

  return async () => {
    const reports = (await lab.logs(since)).flatMap(({ text }) => billed(text) ?? []);
    const of = counter(before, lab.lambdaNode.requests());
    return {
      invocations: reports.length,
      gbSeconds: round(reports.reduce((sum, { gbSeconds }) => sum + gbSeconds, 0)),
      sqsRequests: of('sqs.'),
      dynamodbRequests: of('dynamodb.'),
      kubernetesRequests: of('kubernetes.'),
    };
  };
}

function billed(line: string): { readonly gbSeconds: number } | undefined {
  const [, ms, mib] = /^REPORT .*Billed Duration: (\d+) ms\s+Memory Size: (\d+) MB/.exec(line) ?? [];
  if (ms === undefined || mib === undefined) return undefined;
  return { gbSeconds: (Number(ms) / 1000) * (Number(mib) / 1024) };
}

const counter =
  (before: RequestCounts, after: RequestCounts) =>
  (prefix: string): number => {
    const sum = (counts: RequestCounts): number =>
      [...counts].reduce((total, [name, count]) => total + (name.startsWith(prefix) ? count : 0), 0);
    return sum(after) - sum(before);
  };

const round = (value: number): number => Math.round(value * 100) / 100;

/** Returns cold starts and peak memory of each function over all of its processes. */
export function coldStarts(lab: Lab): Readonly<Record<string, object>> {
  const byFunction = Map.groupBy(lab.lambdaNode.workers(), ({ functionName }) =>
    functionName.replace(/^Mortise-lab-/, '').replace(/Function[0-9A-F]{8}.*$/, ''),
  );
  return Object.fromEntries(
    [...byFunction].map(([name, workers]) => {
      const peaks = workers.flatMap(({ peakMib }) => peakMib ?? []);
      return [
        name,
        {
          initP50Ms: percentile(
            workers.map(({ initMs }) => initMs),
            0.5,
          ),
          starts: workers.length,
          ...(peaks.length > 0 && { peakMib: Math.max(...peaks) }),
        },
      ];
    }),
  );
}
