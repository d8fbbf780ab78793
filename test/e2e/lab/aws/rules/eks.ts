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

/**
 * A cluster that authenticates by its ConfigMap alone has no access entries.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/setting-up-access-entries.html
 */
export const authenticationModes = (mode: () => string): Rule => ({
  name: 'authentication modes',
  answer(request, pass) {
    const { service, action } = request;
    const isEntry = service === 'eks' && /AccessEntry$/.test(action);
    if (!isEntry || action.startsWith('Delete') || mode() !== 'CONFIG_MAP') return pass(request);
    const message =
      "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] to perform " +
      'this operation.';
    return Promise.resolve(refuse(request, 400, 'InvalidRequestException', message));
  },
});
