import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CDK_APP } from '../../../cli/deploy/cdk-app.ts';
import { findCdk } from '../../../cli/deploy/find-cdk.ts';
import { aFolder, mortise } from '../call.ts';

describe('the CDK of a deployment', () => {
  it('is found beside the app', () => {
    expect(findCdk(CDK_APP)).toMatchObject({
      cli: expect.stringMatching(/aws-cdk[/\\]bin[/\\]cdk$/) as unknown,
    });
  });

  it('is named with the command that installs it, if it is missing', async () => {
    const folder = await aFolder({
      'node_modules/constructs/package.json': '{"name":"constructs"}',
    });

    expect(findCdk(join(folder, 'node_modules/mortise/cdk/app.js'))).toMatchObject({
      code: 'cdk-missing',
      what: 'the AWS CDK is not installed: aws-cdk, aws-cdk-lib not found',
      fix: 'npm install aws-cdk aws-cdk-lib constructs, in the folder where mortise is installed',
    });
  });
});

describe('the CDK in a clone', () => {
  it('is installed with the development dependencies', async () => {
    const folder = await aFolder({ 'package.json': '{"name":"mortise"}' });

    expect(findCdk(join(folder, 'infra/app.ts'))).toMatchObject({
      code: 'cdk-missing',
      why: 'it is a development dependency, which --omit=dev leaves out',
      fix: 'npm ci',
    });
  });
});

describe('the flags of a deployment', () => {
  it.each(['deploy', 'diff', 'destroy'])('must name a cluster for mortise %s', async (verb) => {
    const { code, stderr } = await mortise([verb]);

    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('no cluster is named') as unknown,
    });
  });

  it('must give each option of the stack a value', async () => {
    const { code, stderr } = await mortise(['deploy', '--cluster', 'shop', '--set', 'maxNodes']);

    expect(code).toBe(2);
    expect(stderr).toContain('"maxNodes" is no option of the stack');
  });
});
