"""What a bot author installs."""
