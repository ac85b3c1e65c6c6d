"""The running extension: process, threads, frames in and out."""
