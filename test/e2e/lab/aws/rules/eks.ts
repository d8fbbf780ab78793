import { queryRequest, refuse, textOf } from './aws-request.ts';
import type { Pass, Rule } from './rule.ts';

/**
 * EKS refuses access entries of roles and users that do not exist.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html
 */
export const knownPrincipals = (emulator: Pass): Rule => ({
  name: 'known principals',
  async answer(request, pass) {
    if (request.service !== 'eks' || request.action !== 'CreateAccessEntry') return pass(request);
    const principal = textOf(request, 'PrincipalArn');
    const RoleName = /:role\/(?:.+\/)?([^/]+)$/.exec(principal)?.[1];
    if (RoleName === undefined) return pass(request);
    const { status, body } = await emulator(queryRequest('iam', { Action: 'GetRole', RoleName }));
    if (status < 300 && body.toString().includes(`<Arn>${principal}</Arn>`)) return pass(request);
    const message = 'The specified principalArn is invalid: invalid principal.';
    return refuse(request, 400, 'InvalidParameterException', message);
  },
});
