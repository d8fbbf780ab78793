import { choice, wholeNumber } from '../forms.ts';
import type { SettingTable } from '../setting.ts';

/** Settings of the process `mortise controller`. */
export const PROCESS = {
  logLevel: {
    variable: 'LOG_LEVEL',
    controller: 'variable',
    form: choice('debug', 'info', 'error'),
    usual: 'info',
    meaning:
      'The lowest level of log lines. `debug`: a line per call to the API server or AWS. For the functions of the stack: option `debugFunctions`.',
  },
  metricsPort: {
    variable: 'METRICS_PORT',
    controller: 'variable',
    form: wholeNumber(0, 65_535),
    usual: '8080',
    meaning: 'The port of `/metrics`.',
  },
  healthPort: {
    variable: 'HEALTH_PROBE_PORT',
    controller: 'variable',
    form: wholeNumber(0, 65_535),
    usual: '8081',
    meaning: 'The port of `/healthz` and `/readyz`.',
  },
} as const satisfies SettingTable;
