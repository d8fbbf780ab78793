import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks } from 'cdk-nag';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MortiseStack } from '../../infra/mortise-stack.ts';
import { readOptions } from '../../infra/options/read-options.ts';
import { type Context, NO_BUNDLES } from './fixture.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'synth-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * Synthesises the app with its checks, which throw for each rule that is broken without an
 * acknowledged reason.
 */
function checked(context: Context): { readonly app: App; readonly stack: MortiseStack } {
  const app = new App({ outdir: mkdtempSync(join(folder, 'out-')), context: NO_BUNDLES });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const given: Context = { cluster: 'demo', ...context };
  const options = readOptions((name) => given[name], {});
  return { app, stack: new MortiseStack(app, 'Mortise', options) };
}

const CIDR = { serviceCidr: '10.100.0.0/16' };

describe('the cdk-nag AwsSolutions rules', () => {
  it.each<[string, Context]>([
    ['are given later', {}],
    ['are given by the options', { account: '123456789012', region: 'eu-west-1', ...CIDR }],
    [
      'are given, and so are a VPC, an endpoint in it and a key',
      {
        account: '123456789012',
        region: 'eu-west-1',
        kmsKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/0a1b2c3d-0000-4000-8000-000000000000',
        functionSubnets: 'subnet-0a0a0a0a',
        functionSecurityGroups: 'sg-0a0a0a0a',
        hookVpcEndpoint: 'vpce-0a0a0a0a',
      },
    ],
  ])('hold if account and region are %s', (_, context) => {
    expect(() => checked(context).app.synth()).not.toThrow();
  });

  it('report a new violation: acknowledgements apply to their own resource only', () => {
    const { app, stack } = checked({});
    new Bucket(stack, 'Careless');

    expect(() => app.synth()).toThrow('AwsSolutions-S1');
  });
});
