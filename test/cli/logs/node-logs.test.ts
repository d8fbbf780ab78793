import { EC2Client, GetConsoleOutputCommand } from '@aws-sdk/client-ec2';
import { GetCommandInvocationCommand, SendCommandCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import { readConsole } from '../../../cli/logs/console-output.ts';
import { readBootLog } from '../../../cli/logs/node-logs.ts';
import { nodeLogText } from '../../../cli/render/node-log.ts';
import { mortise } from '../call.ts';

const SETTINGS = {
  region: 'eu-west-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
};
const named = (name: string): Error => Object.assign(new Error('no'), { name });
const ID = 'i-0a1b2c3d4e5f60718';

describe('the console of an instance', () => {
  it('is the newest one, or that of the boot where EC2 has no newer one', async () => {
    const ec2 = new EC2Client(SETTINGS);
    const mock = mockClient(ec2);
    const Output = Buffer.from('booted\n').toString('base64');
    mock.on(GetConsoleOutputCommand).resolves({ Output });
    mock.on(GetConsoleOutputCommand, { Latest: true }).rejects(named('UnsupportedOperation'));

    expect(await readConsole(ec2, ID)).toBe('booted');
  });

  it('is unknown until EC2 has it, and names a missing right', async () => {
    const ec2 = new EC2Client(SETTINGS);
    const mock = mockClient(ec2);
    mock.on(GetConsoleOutputCommand).resolves({});
    expect(await readConsole(ec2, ID)).toBeUndefined();

    mock.on(GetConsoleOutputCommand).rejects(named('UnauthorizedOperation'));
    await expect(readConsole(ec2, ID)).rejects.toMatchObject({ problems: [{ code: 'forbidden' }] });
  });
});

describe('the boot log of an instance', () => {
  const options = (limit = 60) => {
    let now = 0;
    return {
      now: () => now,
      timeoutMs: limit * 1_000,
      pause: async (ms: number) => {
        now += ms;
      },
    };
  };

  it('is what journalctl prints, once SSM shows the command as finished', async () => {
    const ssm = new SSMClient(SETTINGS);
    const mock = mockClient(ssm);
    mock.on(SendCommandCommand).resolves({ Command: { CommandId: 'c' } });
    mock
      .on(GetCommandInvocationCommand)
      .rejectsOnce(named('InvocationDoesNotExist'))
      .resolvesOnce({ Status: 'InProgress' })
      .resolves({ Status: 'Success', StandardOutputContent: 'kubelet: ok' });

    expect(await readBootLog(ssm, ID, options())).toBe('kubelet: ok');
  });

  it('is missing for an instance whose agent has not registered, or does not answer', async () => {
    const ssm = new SSMClient(SETTINGS);
    const mock = mockClient(ssm);
    mock.on(SendCommandCommand).rejects(named('InvalidInstanceId'));
    await expect(readBootLog(ssm, ID, options())).rejects.toMatchObject({
      problems: [{ code: 'not-found', what: 'SSM does not know the instance' }],
    });

    mock.on(SendCommandCommand).resolves({ Command: { CommandId: 'c' } });
    mock.on(GetCommandInvocationCommand).resolves({ Status: 'Pending' });
    await expect(readBootLog(ssm, ID, options(3))).rejects.toMatchObject({
      problems: [{ code: 'aws-unreachable' }],
    });
  });
});

describe('mortise logs', () => {
  it('shows each text under its source, and the cause that they show', () => {
    const parts = [
      { from: 'console' as const, text: 'Ubuntu' },
      { from: 'boot-log' as const, why: 'SSM does not know the instance' },
    ];

    expect(nodeLogText({ instance: ID, nodeClaim: 'general-1', parts, finding: 'wrong-ami' })).toBe(
      [
        `${ID}  general-1`,
        '--- console',
        'Ubuntu',
        '--- boot-log',
        'SSM does not know the instance',
        'cause: neither nodeadm nor a kubelet starts: the image is no image of EKS',
        '',
      ].join('\n'),
    );
  });

  it('runs no command on an instance unless the cluster is named', async () => {
    const { code, stderr } = await mortise(['logs', 'node', 'general-1', '--boot-log']);

    expect(code).toBe(2);
    expect(stderr).toContain('it runs a command on the instance');
  });
});
