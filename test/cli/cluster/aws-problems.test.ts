import { once } from 'node:events';
import { createServer } from 'node:http';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DescribeClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { callAws, findAwsProblem } from '../../../cli/cluster/aws-problems.ts';
import { mortise } from '../call.ts';

const PAGE = '<!DOCTYPE html><html><body>Sign in<br></body></html>';

interface Answered {
  readonly status: number;
  readonly type?: string;
  readonly body?: string;
}

/** Starts a server that gives the same answer to all requests, and returns its address. */
async function aServer({ status, type = 'text/html', body = PAGE }: Answered): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(status, { 'content-type': type }).end(body);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}

const settingsFor = async (answer: Answered) => ({
  endpoint: await aServer(answer),
  region: 'eu-west-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  maxAttempts: 1,
});

const askEks = async (answer: Answered) => {
  const eks = new EKSClient(await settingsFor(answer));
  return await callAws('EKS', () => eks.send(new DescribeClusterCommand({ name: 'shop' })));
};

const askCloudFormation = async (answer: Answered) => {
  const formation = new CloudFormationClient(await settingsFor(answer));
  return await callAws('stacks', () => formation.send(new DescribeStacksCommand({})));
};

describe('an answer of AWS that a controller throws', () => {
  const denied = { status: 400, type: 'application/x-amz-json-1.1' };
  const body = '{"__type":"AccessDeniedException","message":"not authorized to perform this"}';

  const thrownBy = async (answer: Answered): Promise<unknown> => {
    const eks = new EKSClient(await settingsFor(answer));
    return await eks.send(new DescribeClusterCommand({ name: 'shop' })).catch((error: unknown) => error);
  };

  it('is a missing right, not a defect of the command, even behind another error', async () => {
    const error = await thrownBy({ ...denied, body });

    for (const one of [error, new Error('the class was not read', { cause: error })]) {
      expect(findAwsProblem(one)).toMatchObject({
        problems: [{ code: 'forbidden', why: 'not authorized to perform this' }],
      });
    }
  });

  it.each([new Error('Access denied'), new TypeError('x is undefined'), 'text', undefined])(
    'is not seen in an error of another origin: %s',
    (error) => {
      expect(findAwsProblem(error)).toBeUndefined();
    },
  );
});

describe('an answer of AWS', () => {
  it.for([200, 403, 502])('is unreadable if a JSON service sends a page with %i', async (status) => {
    await expect(askEks({ status })).rejects.toMatchObject({
      problems: [
        {
          code: 'aws-unreadable',
          where: 'EKS, 127.0.0.1',
          why: `the answer has status ${status} and is text/html, not one of the service`,
        },
      ],
    });
  });

  it.for([
    ['a page', PAGE],
    ['text', 'blocked by policy'],
    ['a page that is XML', '<html><body>Sign in</body></html>'],
  ] as const)('is unreadable if an XML service sends %s with 403', async ([, body]) => {
    await expect(askCloudFormation({ status: 403, body })).rejects.toMatchObject({
      problems: [{ code: 'aws-unreadable' }],
    });
  });

  it('stays the error of the service if that has sent it', async () => {
    const body = '{"__type":"ServerException","message":"later"}';

    await expect(askEks({ status: 500, type: 'application/json', body })).rejects.not.toHaveProperty('problems');
  });

  it('ends a command with 3 if a proxy sent it', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL', await aServer({ status: 200 }));
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
    onTestFinished(() => void vi.unstubAllEnvs());

    expect(await mortise(['snapshot', '--cluster', 'shop', '--region', 'eu-west-1'])).toEqual({
      code: 3,
      stdout: '',
      stderr:
        'error: something else answers in place of AWS\n' +
        '  where: EKS cluster shop, 127.0.0.1\n' +
        '  why:   the answer has status 200 and is text/html, not one of the service\n' +
        '  fix:   check the network for a proxy or a sign-in page, and AWS_ENDPOINT_URL if it is set\n',
    });
  });
});
