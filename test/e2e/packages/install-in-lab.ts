import { CREDENTIALS } from '../lab/aws/emulators.ts';
import { startFormationProxy } from '../lab/aws/formation-proxy.ts';
import type { Lab } from '../lab/start-lab.ts';
import { type Installation, installPackage } from './install.ts';

/** Installs the package for commands that use the local AWS, whose CloudFormation gets a proxy. */
export async function installInLab(
  lab: Lab,
): Promise<{ readonly installation: Installation; end(): Promise<void> }> {
  const url = lab.awsEnvironment.AWS_ENDPOINT_URL ?? '';
  const formation = await startFormationProxy(url, lab.assembly);
  // The public SSM parameters have an endpoint of their own, which has no parameter of the CDK.
  const { AWS_ENDPOINT_URL_SSM: _, ...endpoints } = lab.awsEnvironment;
  const installation = await installPackage(lab.folder, {
    ...CREDENTIALS,
    ...endpoints,
    AWS_ENDPOINT_URL_CLOUDFORMATION: `http://127.0.0.1:${formation.port}`,
    CI: 'true',
  });
  return { installation, end: formation.end };
}
