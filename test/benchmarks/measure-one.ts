import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { listBenchmarkInputs } from './inputs/inputs.ts';
import { measure } from './measurement.ts';

// Measures one input in a process of its own: node measure-one.ts NAME time|heap [--check]. Prints
// the result for the parent process; with `heap`, the parent reads the trace of the garbage
// collector.
const [name = '', question = 'time', flag] = process.argv.slice(2);
const input = listBenchmarkInputs().find((one) => one.name === name);
if (!input) throw new Error(`no input is named ${name}`);

if (question === 'heap') {
  const plan = planProvisioning(input.snapshot(), 'decision-1');
  process.send?.({ claims: plan.claims.length, heapUsed: process.memoryUsage().heapUsed });
} else {
  process.send?.(measure(input, flag === '--check'));
}
