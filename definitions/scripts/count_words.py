"""Prints how many words its argument has."""
import sys

if len(sys.argv) != 2:
    sys.exit("usage: count_words.py TEXT")
print(len(sys.argv[1].split()))
