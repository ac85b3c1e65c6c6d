from hypothesis import settings

# A machine that is busy with something else makes no test fail.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
