import { afterEach, describe, expect, it, vi } from 'vitest';
import { readKubeconfig } from '../../../../cli/cluster/kubeconfig.ts';
import { createKubeconfigApi } from '../../../../cli/cluster/kubeconfig-access.ts';
import { kubeconfigServer, request } from '../kubeconfig-server.ts';
import { KUBECONFIGS, receivedOf } from './cases.ts';
import { prepare } from './prepare.ts';

const server = kubeconfigServer();
afterEach(() => vi.unstubAllEnvs());

describe('a kubeconfig with', () => {
  it.each(KUBECONFIGS)('$name leads to $expected', async (one) => {
    const { allowInsecure = false, context, expected } = one;
    const { file, text, received } = await prepare(server, one);
    const call = async (): Promise<void> => {
      const choice = readKubeconfig(text, { file, ...(context ? { context } : {}) });
      const { api } = await createKubeconfigApi(choice, { allowInsecure, userAgent: 'test' });
      await api.read(request);
    };

    if (expected instanceof RegExp) {
      await expect(call()).rejects.toThrow(expected);
      expect(server.current.callers).toEqual([]);
    } else {
      await call();
      expect(received()).toEqual(receivedOf(expected));
    }
  });
});
