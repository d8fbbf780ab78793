import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { listBenchmarkInputs } from './inputs/inputs.ts';
import { measure } from './measurement.ts';

// A process of its own per input and per question: node measure-one.ts NAME time|heap [--check].
// It answers its parent; with `heap`, what counts is what the garbage collector writes meanwhile.
const [name = '', question = 'time', flag] = process.argv.slice(2);
const input = listBenchmarkInputs().find((one) => one.name === name);
if (!input) throw new Error(`no input is named ${name}`);

if (question === 'heap') {
  const plan = planProvisioning(input.snapshot(), 'decision-1');
  process.send?.({ claims: plan.claims.length, heapUsed: process.memoryUsage().heapUsed });
} else {
  process.send?.(measure(input, flag === '--check'));
}
