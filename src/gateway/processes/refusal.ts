/** A tool cannot do what it was asked; the text is for the agent and says what would work. */
export class ToolRefusal extends Error {}
