/** Caps of a hub: what it asks of the store and of agents. */

// The store.

// The agents of a hub.
