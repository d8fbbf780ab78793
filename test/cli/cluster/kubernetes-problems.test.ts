import { expect, it } from 'vitest';
import { callCluster } from '../../../cli/cluster/kubernetes-problems.ts';
import { CliError } from '../../../cli/errors.ts';
import { ApiUnreachableError } from '../../../shared/kubernetes/client/api-errors.ts';

const OPENSSL =
  'write EPROTO 402D0499D07F0000:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:../deps/openssl/openssl/ssl/record/methods/tlsany_meth.c:77:\n';

it('an address without TLS is named in one line, without the source of OpenSSL', async () => {
  const action = { verb: 'list', resource: 'nodes' } as const;
  const failing = async () => {
    throw new ApiUnreachableError(action, { why: OPENSSL });
  };

  const error = await callCluster('API server', failing).catch((caught: unknown) => caught);

  expect(error).toBeInstanceOf(CliError);
  expect(error).toMatchObject({
    problems: [
      {
        code: 'cluster-unreachable',
        why: 'list nodes: the API server does not answer: TLS failed: wrong version number',
      },
    ],
  });
});
