// The kinds of part there are, by name: filled by stage.js, read by parts that hold other parts.
export const parts = {};
