// What `--help` shows: a first screen with what most people need, in groups and with examples; `--help all` has the rest.
import { Command, Help, type Option } from 'commander';
import { firstSettings, optionGroups } from './help-texts.ts';

const settingsHeading = 'Settings, also from the environment:';
const otherHeading = 'Options:';

/** Removes the `all` of `--help all`, and of `help COMMAND all`. */
export function wantsWholeHelp(args: readonly string[]): { readonly isWhole: boolean; readonly args: string[] } {
  const at = args.findIndex((arg, index) => arg === 'all' && /^(?:--help|-h)$/u.test(args[index - 1] ?? ''));
  const isWhole = at > 0 || (args[0] === 'help' && args.length > 1 && args.at(-1) === 'all');
  return { isWhole, args: isWhole ? args.toSpliced(at > 0 ? at : args.length - 1, 1) : [...args] };
}

/** The help of the program. `lastGroup`: where its command `help` stands. */
export function arrangeProgramHelp(cli: Command, isWhole: boolean, lastGroup: string): void {
  arrangeHelp(cli, isWhole);
  cli.addHelpCommand(
    new Command('help').argument('[command]').description('the help of a command').helpGroup(lastGroup),
  );
  cli.addHelpText('after', isWhole ? () => wholeHelp(cli) : () => firstScreenEnd);
}

/** The end of `hayrake --help`. */
const firstScreenEnd = `
Examples:
  hayrake crawl https://example.com/docs      pages as Markdown files
  hayrake scrape https://example.com          one page on standard output
  hayrake serve                               API and dashboard

JOB is an id, the beginning of one, or \`last\`.
\`hayrake COMMAND --help\` explains a command, \`hayrake docs\` lists the documents.`;

function wholeHelp(cli: Command): string {
  return cli.commands.map((command) => `\n${'─'.repeat(72)}\n${command.helpInformation()}`).join('');
}

/** Groups the options of a command, and adds its examples. */
export function arrangeHelp(command: Command, isWhole: boolean, examples?: readonly string[]): void {
  command.configureHelp({
    formatHelp: (shown, helper) => {
      const visible = (of: Command): Option[] =>
        arranged(helper.visibleOptions(of)).filter((option) => isWhole || isFirst(option));
      const parts = {
        visibleOptions: visible,
        groupItems: <Item>(_: readonly Item[], items: Item[], groupOf: (item: Item) => string) =>
          Map.groupBy(items, groupOf),
        subcommandTerm: (of: Command) => [of.name(), ...of.registeredArguments.map((one) => termOf(one))].join(' '),
        optionDescription: describe,
      };
      const shortened = Object.assign(Object.create(helper) as Help, parts);
      return Help.prototype.formatHelp.call(shortened, shown, shortened);
    },
  });
  if (examples === undefined) return;
  command.addHelpText('after', () => {
    const hidden = command.options.filter((option) => !isFirst(option)).length;
    const rest = hidden > 0 && !isWhole ? [`\`hayrake ${nameOf(command)} --help all\` lists ${hidden} more.`] : [];
    return ['', 'Examples:', ...examples.map((example) => `  hayrake ${example}`), ...rest].join('\n');
  });
}

/** Such as `token create`. */
function nameOf(command: Command): string {
  const parent = command.parent?.parent ? `${command.parent.name()} ` : '';
  return `${parent}${command.name()}`;
}

function termOf(argument: Command['registeredArguments'][number]): string {
  const shown = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${shown}>` : `[${shown}]`;
}

/** Sorts options as the groups list them, and gives each the heading of its group. */
function arranged(options: readonly Option[]): Option[] {
  const names = optionGroups.flatMap(({ first, more = [] }) => [...first, ...more]);
  const place = (option: Option): number => {
    const at = names.indexOf(option.long ?? '');
    return isSetting(option) ? names.length + 1 : at === -1 ? names.length : at;
  };
  for (const option of options) {
    const group = optionGroups.find(({ first, more = [] }) => [...first, ...more].includes(option.long ?? ''));
    if (!isSetting(option)) option.helpGroup(group?.title ?? otherHeading);
  }
  return options.toSorted((a, b) => place(a) - place(b));
}

function isSetting(option: Option): boolean {
  return option.helpGroupHeading === settingsHeading;
}

/** Marks an option as a setting, which comes last. */
export function asSetting(option: Option): Option {
  return option.helpGroup(settingsHeading);
}

function isFirst(option: Option): boolean {
  const name = option.long ?? '';
  if (isSetting(option)) return firstSettings.includes(name);
  return !optionGroups.some(({ more = [] }) => more.includes(name));
}

/** Choices and the default in one pair of brackets. */
function describe({ description, argChoices, defaultValue, defaultValueDescription }: Option): string {
  const fallback = defaultValueDescription ?? (typeof defaultValue === 'string' ? defaultValue : undefined);
  const facts = [argChoices?.join(', '), fallback === undefined ? undefined : `default: ${fallback}`];
  const shown = facts.filter((fact) => fact !== undefined).join('; ');
  return shown === '' ? description : `${description} (${shown})`;
}
