import { APPLY_CHECKS } from './api-checks/apply.ts';
import type { Checks } from './api-checks/check.ts';
import { COLUMN_CHECKS } from './api-checks/columns.ts';
import { EXPLAIN_CHECKS } from './api-checks/explain.ts';
import { MANAGER_CHECKS } from './api-checks/managers.ts';

/** In this order, for some look at what others have applied. */
export const CHECKS: Checks = {
  ...EXPLAIN_CHECKS,
  ...APPLY_CHECKS,
  ...COLUMN_CHECKS,
  ...MANAGER_CHECKS,
};
