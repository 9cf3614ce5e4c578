/** A mistake of the person who runs a command, or a state that this person must correct. The message is all that is printed. */
export class CommandError extends Error {}

/**
 * Runs a command of src/dev: prints the message of a CommandError and sets the exit code to 1. A command never calls
 * `process.exit`: in Node 24 that can wait forever for code that compiles in the background (nodejs/node#64274).
 */
export async function runCommand(command: () => Promise<void> | void): Promise<void> {
  try {
    await command();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
