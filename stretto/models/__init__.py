"""The statistical models, in NumPyro. Nothing else imports JAX."""
