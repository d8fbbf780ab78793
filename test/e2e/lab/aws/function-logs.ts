import { listAt, textAt, valueAt } from '../json.ts';
import { CREDENTIALS, REGION } from './emulators.ts';

export interface LogLine {
  /** Name of the log group, which contains the function's name. */
  readonly group: string;
  readonly at: number;
  readonly text: string;
}

/** Reads the log lines of all functions since a time, oldest first. */
export async function readLogs(ministack: string, since: number): Promise<readonly LogLine[]> {
  const groups = listAt(await ask(ministack, 'DescribeLogGroups', {}), 'logGroups');
  const lines = await Promise.all(
    groups.map(async (group): Promise<LogLine[]> => {
      const name = textAt(group, 'logGroupName');
      const events = await eventsOf(ministack, name, since);
      return events.map((event) => ({
        group: name,
        at: Number(valueAt(event, 'timestamp')),
        text: textAt(event, 'message').trimEnd(),
      }));
    }),
  );
  return lines.flat().toSorted((a, b) => a.at - b.at);
}

async function eventsOf(url: string, group: string, since: number): Promise<readonly unknown[]> {
  const events: unknown[] = [];
  let nextToken: string | undefined;
  do {
    const page = await ask(url, 'FilterLogEvents', {
      logGroupName: group,
      startTime: since,
      ...(nextToken !== undefined && { nextToken }),
    });
    events.push(...listAt(page, 'events'));
    nextToken = textAt(page, 'nextToken') || undefined;
  } while (nextToken !== undefined);
  return events;
}

/** The local AWS reads the account from the signature header but does not verify it. */
async function ask(url: string, action: string, input: object): Promise<unknown> {
  const scope = `${CREDENTIALS.AWS_ACCESS_KEY_ID}/20260101/${REGION}/logs/aws4_request`;
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `Logs_20140328.${action}`,
      authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=lab`,
    },
    body: JSON.stringify(input),
  });
  return answer.json();
}
