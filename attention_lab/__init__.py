"""The dashboard around `attention_core`."""
